import { isLuhnValid } from '../../base/check-digits.ts'
import type { JsonValue } from '../../base/json/json.ts'

/** Whose key a request carries. `limited` may do everything below /mine/, and nothing elsewhere. */
export type Who = 'private' | 'public' | 'management' | 'limited' | 'nobody' | { readonly key: string }

/** A request. In its path `{application}` stands for an application that is there. */
export interface Shot {
  readonly method: string
  readonly path: string
  readonly as?: Who
  readonly body?: JsonValue
  /** The body as it is, if it is not JSON; a list is sent in chunks, without a length. */
  readonly raw?: string | Uint8Array | readonly string[]
  /** `null` leaves the header out. */
  readonly type?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that is refused, and one that differs from it in a single thing and is not. */
export interface Refusal {
  readonly name: string
  readonly refused: Shot
  readonly control: Shot
  readonly status: number
  readonly code: string
  /** The member that the problem names. */
  readonly at?: string
  /** The `Allow` header of a 405. */
  readonly allow?: string
}

export const text = (length: number, character = 'x') => character.repeat(length)

/** Digits of this length with a right check digit. */
export function cardNumber(length: number): string {
  const payload = `4${text(length - 2, '0')}`
  const digit = [...'0123456789'].find(last => isLuhnValid(payload + last))
  return payload + digit
}

/** The deepest container there may be, the longest, and one level or one character more. */
export const deepestContainer = `/${'a/'.repeat(16)}`
export const tooDeepContainer = `/${'a/'.repeat(17)}`
export const longestContainer = `/${text(248)}/`
export const tooLongContainer = `/${text(249)}/`

export const validation = { status: 400, code: 'validation' }
