import fc from 'fast-check'
import t from 'tap'
import { findNumberFault } from './json-loss.ts'

const kept = [
  ...['0', '0.0', '0e5', '1', '-1', '1.0', '1.50', '1e2', '1E+2', '10E-1', '0.1', '-0.10', '100e-2'],
  ...['5e-324', '0.5e-323', '9007199254740991', '9007199254740991.0', '1e15'],
  ...[
    '0.30000000000000004',
    '123456789.12345679',
    '2.5e-10',
    '0.000001',
    '1e-7',
    `1.5${'0'.repeat(100_000)}`,
  ],
]

const altered: readonly [token: string, message: RegExp][] = [
  ['0.30000000000000001', /more digits/],
  ['123456789.123456789012', /more digits/],
  ['0.123456789012345678', /more digits/],
  ['0.12345678901234567', /more digits/],
  ['4.9e-324', /more digits/],
  ['1.00000000000000000001', /more digits/],
  [`1.5${'0'.repeat(100_000)}1`, /more digits/],
  ['9007199254740990.6', /more digits/],
  ['9007199254740992', /integer beyond/],
  ['-9007199254740992', /integer beyond/],
  ['1e16', /integer beyond/],
  ['1.7976931348623157e308', /integer beyond/],
  ['1e400', /too large/],
  ['-1e400', /too large/],
  ['1e-400', /too small/],
  ['-1e-400', /too small/],
  ['2e-324', /too small/],
  ['-0', /negative zero/],
  ['-0.0e5', /negative zero/],
]

t.test('a number whose value a double can represent is kept', async t => {
  for (const token of kept) t.equal(findNumberFault(token), undefined, token.slice(0, 40))
})

t.test('any other number is refused', async t => {
  for (const [token, message] of altered) t.match(findNumberFault(token), message, token.slice(0, 40))
})

/** The exact value of a decimal, as a fraction of whole numbers. */
function exactly(token: string): readonly [over: bigint, under: bigint] {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return power < 0 ? [digits, 10n ** BigInt(-power)] : [digits * 10n ** BigInt(power), 1n]
}

/** Applies the rule with exact fractions. */
function isKept(token: string): boolean {
  const value = Number(token)
  if (!Number.isFinite(value) || (value === 0 && token.startsWith('-'))) return false
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false
  const [[over, under], [keptOver, keptUnder]] = [exactly(token), exactly(String(value))]
  return over * keptUnder === keptOver * under
}

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'00001234567899'), minLength, maxLength })
const written = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits(1, 20).map(text => `1${text}`),
    ),
    fc.oneof(
      fc.constant(''),
      digits(1, 22).map(text => `.${text}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc.integer({ min: -345, max: 320 }).map(exponent => `e${exponent}`),
    ),
  )
  .map(parts => parts.join(''))
/** Doubles as they are spelled, and with one more digit behind. */
const spelled = fc
  .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom('', '0', '1'))
  .map(([value, more]) => {
    const [mantissa = '', exponent] = String(value).split('e')
    const longer = mantissa.includes('.') ? mantissa + more : mantissa
    return exponent === undefined ? longer : `${longer}e${exponent}`
  })

t.test('exact fractions give the same result for random numbers', async () => {
  fc.assert(
    fc.property(
      fc.oneof(written, spelled),
      token => (findNumberFault(token) === undefined) === isKept(token),
    ),
    { numRuns: 3_000 },
  )
})
