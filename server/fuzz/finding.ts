import type { FuzzCase } from './case.ts'
import type { Found } from './judge.ts'

export interface Finding extends Found {
  /** The case it was found with, where there is one. */
  readonly one?: FuzzCase
  /** True if the case alone, on a fresh server, shows it too. */
  readonly alone?: boolean
}

/** Returns the same text for findings that are most likely the same fault. */
export function sameness({ fault, one, what }: Finding): string {
  return `${fault}/${one ? shapeOf(one) : what}`
}

/** The title of a case without its figures. */
export const shapeOf = ({ title }: FuzzCase) => title.replaceAll(/[\d.]+/g, '')
