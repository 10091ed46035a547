import { kindOfLetter, letterOf } from '../../port/kinds.ts'
import type { DocumentKind } from '../../port/port.ts'

/** The database keeps the code of a kind's letter. */
export const numberOf = (kind: DocumentKind): number => letterOf(kind).charCodeAt(0)

export function kindOf(number: number): DocumentKind {
  const kind = kindOfLetter(String.fromCharCode(number))
  if (!kind) throw new Error(`the database holds documents of the unknown kind ${number}`)
  return kind
}
