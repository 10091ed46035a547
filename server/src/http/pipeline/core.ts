import type { Random } from '../../base/random.ts'
import { problemType } from '../../contract/contract.ts'
import type { Dialect } from '../../contract/dialect.ts'
import type { CoreRequest, CoreResponse } from '../transport/message.ts'
import type { Cors } from './cors.ts'
import { Exchange, type Respond } from './exchange.ts'
import type { HeaderNames } from './header-names.ts'
import type { Refusals } from './refusals.ts'

/** The server without a socket: takes a request and resolves with a response. Rejects only where a test has ordered it. */
export type Core = (request: CoreRequest) => Promise<CoreResponse>

/** Responds to paths that are not in the contract. Returns `undefined`, or resolves with it, for any other request. */
export type Outside = (exchange: Exchange) => Promise<CoreResponse | undefined> | undefined

interface CoreParts {
  readonly cors: Cors
  readonly outside: Outside
  readonly respond: Respond
  readonly refusals: Refusals
  /** Is told of the begin and the end of each request. */
  readonly inFlight: { began(): void; ended(): void }
  readonly random: Random
  readonly headerNames: HeaderNames
  readonly dialect: Dialect | undefined
}

const printable = /^[\x20-\x7e]{1,200}$/

/** Gives each request its trace id, and each response the headers that all have. */
export function createCore(parts: CoreParts): Core {
  const { cors, outside, respond, refusals, inFlight, random, headerNames, dialect } = parts
  const added = Object.entries(dialect?.responseHeaders ?? {})
  const traceHeader = headerNames.trace.toLowerCase()
  return async request => {
    inFlight.began()
    try {
      const given = request.headers[traceHeader]
      // Requirements: WIR-501
      const traceId = given !== undefined && printable.test(given) ? given : random.uuid()
      const exchange = new Exchange(request, traceId)
      // Formulas reach operations of the contract only, and not the clock of a development server.
      const early = request.delegation
        ? undefined
        : (cors.preflight(request) ?? outside(exchange)?.catch(error => refusals.refuse(exchange, error)))
      const found = early && (await early)
      const response = found ?? (await respond(exchange))
      const { headers } = response
      headers[headerNames.trace] = traceId
      if (request.delegation) return response
      if (dialect?.problemsAsJson && headers['Content-Type'] === problemType) {
        headers['Content-Type'] = 'application/json'
      }
      // What a formula or a target has set stays.
      for (const [name, value] of added) headers[name] ??= value
      // Requirements: WIR-542
      headers['Cache-Control'] = (found && headers['Cache-Control']) || 'no-store'
      cors.allow(request, headers)
      return response
    } finally {
      inFlight.ended()
    }
  }
}
