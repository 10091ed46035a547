import { numberIn, type TokenType } from './token-type.ts'

export const bank: TokenType = {
  name: 'bank',
  dataSchema: 'BankData',
  container: '/bank/high/',
  mask: {
    routing_number: '{{ data.routing_number }}',
    account_number: '{{ data.account_number | reveal_last: 4 }}',
  },
  fingerprintExpression: '{{ data.account_number }}|{{ data.routing_number }}',
  secretNumber: numberIn('account_number'),
  searchIndexes: undefined,
}
