import type { TokenType } from './token-type.ts'

export const usBankRoutingNumber: TokenType = {
  name: 'us_bank_routing_number',
  dataSchema: 'UsBankRoutingNumberData',
  container: '/bank/low/',
  mask: '{{ data | reveal_last: 4 }}',
  fingerprintExpression: '{{ data }}',
  searchIndexes: undefined,
}
