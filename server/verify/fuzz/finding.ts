import type { FuzzCase } from './case.ts'
import type { Found } from './judge.ts'

export interface Finding extends Found {
  /** The case that showed it, if any. */
  readonly one?: FuzzCase
  /** True if the case alone shows it on a new server. */
  readonly alone?: boolean
}

/** Returns a key that is equal for findings that are probably the same fault. */
export function faultKey({ fault, one, what }: Finding): string {
  return `${fault}/${one ? shapeOf(one) : what}`
}

/** Returns the title of a case without numbers. */
export const shapeOf = ({ title }: FuzzCase) => title.replaceAll(/[\d.]+/g, '')
