import type { TokenType } from './token-type.ts'

export const token: TokenType = {
  name: 'token',
  dataSchema: 'GenericData',
  container: '/general/high/',
  mask: undefined,
  fingerprintExpression: '{{ data | stringify }}',
  searchIndexes: [],
}
