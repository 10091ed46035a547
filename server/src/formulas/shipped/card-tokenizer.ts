import type { FormulaRecord } from '../formula.ts'

/** Makes a card token of a card, wherever its parts come from; the same card number gives the same token again. */
export const cardTokenizer: FormulaRecord = {
  id: '7c5e2d84-1b6f-4e3a-a9c0-5d8f3b7a2e22',
  name: 'Deduplicating card tokenizer',
  description:
    'Takes the parts of a card, in the clear or out of tokens, and makes one card token of them. A number that ' +
    'the tenant holds already gives the token that is there.',
  type: 'official',
  configuration: [],
  request_parameters: [
    {
      name: 'card.number',
      description: 'The card number; blanks and hyphens do not count.',
      type: 'string',
      optional: false,
    },
    { name: 'card.expiration_month', description: 'From 1 to 12.', type: 'number', optional: true },
    { name: 'card.expiration_year', description: 'With four digits.', type: 'number', optional: true },
    { name: 'card.cvc', description: 'Kept for an hour.', type: 'string', optional: true },
  ],
  code: `'use strict'

module.exports = async function (req) {
  const card = req.args.card || {}
  const data = {}
  for (const name of ['number', 'expiration_month', 'expiration_year', 'cvc']) {
    // An argument may be spelled \`card.number\` as well, and stays where it was.
    const value = card[name] !== undefined ? card[name] : req.args['card.' + name]
    if (value !== undefined) data[name] = value
  }
  data.number = data.number.replace(/[ -]/g, '')
  return { tokenize: { type: 'card', data, deduplicate_token: true } }
}
`,
}
