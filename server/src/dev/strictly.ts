import { isProxied } from '../contract/contract.ts'
import type { Exchange, Services } from '../http/pipeline/exchange.ts'
import { validate } from '../http/pipeline/lifecycle.ts'

/**
 * Validates a request, and refuses members of its body in another spelling. Code that a profile makes run gets a warning
 * at most.
 */
export function validateStrictly(exchange: Exchange, services: Services): void {
  const { operation, body } = exchange
  const { validators, dialect } = services
  if (operation && !isProxied(operation) && !dialect) validators.refuseOtherSpellings(operation, body)
  validate(exchange, services)
}
