import { type TokenType, wholeNumber } from './token-type.ts'

export const usBankAccountNumber: TokenType = {
  name: 'us_bank_account_number',
  dataSchema: 'UsBankAccountNumberData',
  container: '/bank/high/',
  mask: '{{ data | reveal_last: 4 }}',
  fingerprintExpression: '{{ data }}',
  secretNumber: wholeNumber,
  searchIndexes: undefined,
}
