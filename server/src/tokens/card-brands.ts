/** A payment network: the lengths of its numbers, and how they begin, as single prefixes or from one to another. */
interface Brand {
  readonly brand: string
  readonly number_lengths: readonly number[]
  readonly prefixes: readonly (readonly [from: string, to?: string])[]
}

const lengths = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

/**
 * The international networks. Compared with two published sources, the library `credit-card-type` for card forms and the
 * tables of issuer identification numbers (ISO/IEC 7812) in encyclopedias: these are the prefixes that both give to the
 * network, and the lengths that either does. Mir and Elo are compared with the first only. The prefixes of Elo come first,
 * as they are within those of other networks.
 */
const brands: readonly Brand[] = [
  {
    brand: 'elo',
    number_lengths: [16],
    prefixes: [
      ['401178', '401179'],
      ['431274'],
      ['438935'],
      ['451416'],
      ['457393'],
      ['457631', '457632'],
      ['504175'],
      ['506699', '506778'],
      ['509000', '509999'],
      ['627780'],
      ['636297'],
      ['636368'],
      ['650031', '650033'],
      ['650035', '650051'],
      ['650405', '650439'],
      ['650485', '650538'],
      ['650541', '650598'],
      ['650700', '650718'],
      ['650720', '650727'],
      ['650901', '650978'],
      ['651652', '651679'],
      ['655000', '655019'],
      ['655021', '655058'],
    ],
  },
  { brand: 'american_express', number_lengths: [15], prefixes: [['34'], ['37']] },
  { brand: 'diners_club', number_lengths: [14, 16, 19], prefixes: [['300', '305'], ['36'], ['38', '39']] },
  { brand: 'discover', number_lengths: [16, 19], prefixes: [['6011'], ['644', '649'], ['65']] },
  { brand: 'jcb', number_lengths: lengths(16, 19), prefixes: [['3528', '3589']] },
  {
    brand: 'maestro',
    number_lengths: lengths(12, 19),
    prefixes: [['5018'], ['5020'], ['5038'], ['5893'], ['6304'], ['6759'], ['6761', '6763']],
  },
  {
    brand: 'mastercard',
    number_lengths: [16],
    prefixes: [
      ['2221', '2720'],
      ['51', '55'],
    ],
  },
  { brand: 'mir', number_lengths: lengths(16, 19), prefixes: [['2200', '2204']] },
  {
    brand: 'unionpay',
    number_lengths: lengths(14, 19),
    prefixes: [
      ['620'],
      ['62100', '62182'],
      ['62184', '62197'],
      ['622', '626'],
      ['6270'],
      ['6272'],
      ['6276', '6277'],
      ['6282', '6289'],
      ['6291', '6292'],
    ],
  },
  { brand: 'visa', number_lengths: [13, 16, 18, 19], prefixes: [['4']] },
]

/** Returns the network of a card number, if it is one of these. */
export function brandOf(number: string): Omit<Brand, 'prefixes'> | undefined {
  const found = brands.find(({ prefixes }) =>
    prefixes.some(([from, to = from]) => {
      const beginning = number.slice(0, from.length)
      return from <= beginning && beginning <= to
    }),
  )
  return found && { brand: found.brand, number_lengths: found.number_lengths }
}
