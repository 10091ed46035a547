import { bank } from './bank.ts'
import { card } from './card.ts'
import { cardNumber } from './card-number.ts'
import { employerIdNumber } from './employer-id-number.ts'
import { socialSecurityNumber } from './social-security-number.ts'
import { token } from './token.ts'
import type { TokenType } from './token-type.ts'
import { usBankAccountNumber } from './us-bank-account-number.ts'
import { usBankRoutingNumber } from './us-bank-routing-number.ts'

// Requirements: TYP-501
export const tokenTypes: readonly TokenType[] = [
  token,
  card,
  bank,
  cardNumber,
  usBankAccountNumber,
  usBankRoutingNumber,
  socialSecurityNumber,
  employerIdNumber,
]

const byName = new Map(tokenTypes.map(type => [type.name, type]))

export function tokenType(name: string): TokenType | undefined {
  return byName.get(name)
}
