import { identityNumberIndexes } from './identity-number.ts'
import { type TokenType, wholeNumber } from './token-type.ts'

export const socialSecurityNumber: TokenType = {
  name: 'social_security_number',
  dataSchema: 'SocialSecurityNumberData',
  container: '/pii/high/',
  mask: '{{ data | reveal_last: 4 }}',
  fingerprintExpression: "{{ data | remove: '-' }}",
  secretNumber: wholeNumber,
  searchIndexes: identityNumberIndexes,
}
