import { type TokenType, wholeNumber } from './token-type.ts'

export const cardNumber: TokenType = {
  name: 'card_number',
  dataSchema: 'CardNumberData',
  container: '/pci/high/',
  mask: '{{ data | reveal_last: 4 }}',
  fingerprintExpression: '{{ data }}',
  secretNumber: wholeNumber,
  searchIndexes: undefined,
}
