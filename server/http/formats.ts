import { expirationSpellings, parseExpiration } from '../tokens/expiry.ts'
import { isTokenId } from '../tokens/id.ts'

export interface Format {
  readonly test: (text: string) => boolean
  /** What a value of this format is, behind "must be". */
  readonly expected: string
}

/** ISO/IEC 7812-1: from the right, every second digit doubled and its digits summed, gives a multiple of ten. */
export function isLuhnValid(digits: string): boolean {
  if (!/^\d+$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** The American Bankers Association's checksum: weights 3, 7, 1 over nine digits. */
// Requirements: DAT-001, DAT-002
export function isAbaRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false
  const sum = [...text].reduce(
    (total, digit, index) => total + Number(digit) * ([3, 7, 1][index % 3] ?? 0),
    0,
  )
  return sum % 10 === 0
}

/** True if there is a `}}` behind a `{{`. A regular expression would look for it behind each of them. */
function holdsExpression(text: string): boolean {
  const open = text.indexOf('{{')
  return open >= 0 && text.includes('}}', open + 2)
}

/** Every format of the contract's `x-formats`. */
export const formats: Readonly<Record<string, Format>> = {
  luhn: { test: isLuhnValid, expected: 'a number whose check digit is right (Luhn)' },
  'aba-routing-number': {
    test: isAbaRoutingNumber,
    expected: 'a nine-digit routing number whose checksum is right',
  },
  'token-id': {
    test: isTokenId,
    expected: 'an id of 3 to 400 characters, none of # / \\ + ? [ ] | & = % < > { } ^',
  },
  'token-id-or-expression': {
    test: text => holdsExpression(text) || isTokenId(text),
    expected: 'an id of 3 to 400 characters, none of # / \\ + ? [ ] | & = % < > { } ^, or an expression',
  },
  expiration: {
    test: text => parseExpiration(text) !== undefined,
    expected: expirationSpellings,
  },
}
