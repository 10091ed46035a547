import type { DocumentKind } from '../../port/port.ts'

/** Numbers must never change, as databases outlive this table. 6 was used before; see the migrations. */
const numbers = {
  tenant: 1,
  application: 2,
  key: 3,
  token: 4,
  'token-cvc': 5,
  formula: 7,
  reactor: 8,
  session: 9,
  nonce: 10,
  job: 11,
  'job-content': 12,
  idempotency: 13,
  audit: 14,
  setting: 15,
  deduplication: 16,
} as const satisfies Record<DocumentKind, number>

const kinds = new Map<number, DocumentKind>(
  Object.entries(numbers).map(([kind, number]) => [number, kind as DocumentKind]),
)

export function numberOf(kind: DocumentKind): number {
  return numbers[kind]
}

export function kindOf(number: number): DocumentKind {
  const kind = kinds.get(number)
  if (!kind) throw new Error(`the database holds documents of the unknown kind ${number}`)
  return kind
}
