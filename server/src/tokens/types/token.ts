import type { TokenType } from './token-type.ts'

export const token: TokenType = {
  name: 'token',
  dataSchema: 'GenericData',
  container: '/general/high/',
  mask: undefined,
  // Requirements: TOK-010
  fingerprintExpression: '{{ data | stringify }}',
  // Requirements: SEA-029
  searchIndexes: [],
}
