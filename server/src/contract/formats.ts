import { isAbaRoutingNumber, isLuhnValid } from '../base/check-digits.ts'
import { expirationSpellings, parseExpiration } from '../base/time/expiration.ts'
import { limits } from '../generated/facts.ts'

const { least, most } = limits.tokenIdCharacters
const forbidden = /[#/\\+?[\]|&=%<>{}^\p{Cc}]/u

/** Describes an id that `isTokenId` accepts; to follow "must be". */
export const tokenIdRule = `an id of ${least} to ${most} characters, none of # / \\ + ? [ ] | & = % < > { } ^`

/** True if no character of the id needs care in a URL or a query. */
// Requirements: TOK-504
export function isTokenId(id: string): boolean {
  return id.length >= least && id.length <= most && !forbidden.test(id) && id.isWellFormed()
}

interface Format {
  readonly test: (text: string) => boolean
  /** Describes a value of this format, to follow "must be". */
  readonly expected: string
}

/** True if a `{{` is followed by a `}}`. Takes linear time, which a regular expression would not. */
function holdsExpression(text: string): boolean {
  const open = text.indexOf('{{')
  return open >= 0 && text.includes('}}', open + 2)
}

/** The formats of the contract's `x-formats`. */
export const formats: Readonly<Record<string, Format>> = {
  luhn: { test: isLuhnValid, expected: 'a number whose check digit is right (Luhn)' },
  'aba-routing-number': {
    test: isAbaRoutingNumber,
    expected: 'a nine-digit routing number whose checksum is right',
  },
  'token-id': {
    test: isTokenId,
    expected: tokenIdRule,
  },
  'token-id-or-expression': {
    test: text => holdsExpression(text) || isTokenId(text),
    expected: `${tokenIdRule}, or an expression`,
  },
  expiration: {
    test: text => parseExpiration(text) !== undefined,
    expected: expirationSpellings,
  },
}
