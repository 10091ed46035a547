import type { FormulaRecord } from '../formula.ts'

/** Answers what may be known of a card number: first and last digits, length, network, and whether it can be one. */
export const cardCheck: FormulaRecord = {
  id: '3a1f6c52-9d0b-4c1e-8f57-6a2b9d4e0c11',
  name: 'Card BIN and Luhn check',
  description:
    'Takes a card number, or a card token as `card`, and returns its BIN (eight digits of a number of 16 or more, ' +
    'else six), last four digits, length and network, and whether its check digit is right.',
  type: 'official',
  configuration: [],
  request_parameters: [
    {
      name: 'card.number',
      description: 'The card number; blanks and hyphens do not count.',
      type: 'string',
      optional: false,
    },
  ],
  code: `'use strict'
const { BadRequestError } = require('@surrogate/formula-errors')

// The first range that a number begins with is its network's. Bounds have as many digits as are compared.
const networks = [
  ['amex', ['34', '34'], ['37', '37']],
  ['diners', ['300', '305'], ['36', '36'], ['38', '39']],
  ['discover', ['6011', '6011'], ['644', '649'], ['65', '65']],
  ['jcb', ['3528', '3589']],
  ['mastercard', ['51', '55'], ['2221', '2720']],
  ['unionpay', ['62', '62'], ['81', '81']],
  ['maestro', ['50', '50'], ['56', '58'], ['6', '6']],
  ['visa', ['4', '4']],
]

function networkOf(number) {
  const found = networks.find(([, ...ranges]) =>
    ranges.some(([from, to]) => {
      const start = number.slice(0, from.length)
      return start >= from && start <= to
    }),
  )
  return found ? found[0] : 'unknown'
}

/** ISO/IEC 7812-1: from the right, every second digit counts twice. */
function isLuhnValid(number) {
  let sum = 0
  for (let place = 0; place < number.length; place++) {
    const digit = Number(number[number.length - 1 - place])
    const counted = place % 2 === 1 ? digit * 2 : digit
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}

module.exports = async function (req) {
  // An argument may be spelled \`card.number\` as well, and stays where it was.
  const given = req.args['card.number'] !== undefined ? req.args['card.number'] : req.args.card.number
  const number = given.replace(/[ -]/g, '')
  if (!/^[0-9]{12,19}$/.test(number)) {
    throw new BadRequestError({ 'args.card.number': ['must be 12 to 19 digits'] })
  }
  return {
    raw: {
      bin: number.slice(0, number.length >= 16 ? 8 : 6),
      last4: number.slice(-4),
      length: number.length,
      network: networkOf(number),
      luhn_valid: isLuhnValid(number),
    },
  }
}
`,
}
