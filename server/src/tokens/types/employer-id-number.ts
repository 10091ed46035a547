import { identityNumberIndexes } from './identity-number.ts'
import { type TokenType, wholeNumber } from './token-type.ts'

export const employerIdNumber: TokenType = {
  name: 'employer_id_number',
  dataSchema: 'EmployerIdNumberData',
  container: '/pii/high/',
  mask: '{{ data | reveal_last: 4 }}',
  fingerprintExpression: "{{ data | remove: '-' }}",
  secretNumber: wholeNumber,
  searchIndexes: identityNumberIndexes,
}
