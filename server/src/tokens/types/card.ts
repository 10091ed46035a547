import { numberIn, type TokenType } from './token-type.ts'

export const card: TokenType = {
  name: 'card',
  dataSchema: 'CardData',
  container: '/pci/high/',
  mask: {
    number: '{{ data.number | reveal_last: 4 }}',
    expiration_month: '{{ data.expiration_month }}',
    expiration_year: '{{ data.expiration_year }}',
  },
  fingerprintExpression: '{{ data.number }}',
  secretNumber: numberIn('number'),
  searchIndexes: undefined,
}
