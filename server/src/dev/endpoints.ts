import { ServiceError } from '../base/errors.ts'
import { backends, readDevOperations } from '../contract/backend.ts'
import { sameDigest, sha256 } from '../crypto/digest.ts'
import { generatedFiles } from '../generated-files.ts'
import { checkHandlers } from '../http/handlers/handler.ts'
import { fileAt, html, StaticFiles, script, style } from '../http/outside/static-files.ts'
import type { Exchange, Services, Step } from '../http/pipeline/exchange.ts'
import { authorize, identify, parse, readBody } from '../http/pipeline/lifecycle.ts'
import { Router } from '../http/pipeline/routes.ts'
import { type Answer, type CoreRequest, type CoreResponse, jsonResponse } from '../http/transport/message.ts'
import type { DevEventsAnswer, DevHandlers, DevRequest } from './handlers.ts'
import { streamHeaders, whileAllowed } from './streams.ts'
import { validateStrictly } from './strictly.ts'

/** The endpoints of a development server, `/_dev/*`. */
export class DevEndpoints {
  readonly #services: Services
  readonly #steps: readonly Step[]
  readonly #route: Step
  readonly #handlers: DevHandlers
  readonly #page: StaticFiles
  /** The digest of the token that each request has to carry, if there is one. */
  readonly #token: string | undefined

  constructor(services: Services, handlers: DevHandlers, page: StaticFiles, token: string | undefined) {
    const operations = readDevOperations()
    checkHandlers(handlers, operations)
    this.#services = services
    const router = new Router(backends.closed().router, operations)
    this.#route = exchange => {
      const { operation, parameters } = router.match(exchange.request.method, exchange.request.path)
      exchange.operation = operation
      exchange.rawParameters = parameters
    }
    this.#steps = [this.#route, ...stepsAfterRoute]
    this.#handlers = handlers
    this.#page = page
    this.#token = token === undefined ? undefined : sha256(token)
  }

  /**
   * Responds to a request.
   * @param path without a slash at the end
   * @throws {ServiceError}
   */
  async respond(exchange: Exchange, path: string): Promise<CoreResponse> {
    const { request } = exchange
    const hasToken = this.#token !== undefined
    if (!hasToken) refuseOtherHosts(request)
    // The page has no data and may be linked to. What it asks for goes through all checks.
    const file = ['GET', 'HEAD'].includes(request.method)
      ? this.#page.respond(path, request.headers)
      : undefined
    if (file) return file
    refuseWebPages(request)
    if (this.#token !== undefined) this.#checkToken(this.#token, request)
    for (const step of this.#steps) await step(exchange, this.#services)
    const { operation, caller, parameters = {}, query = {}, body } = exchange
    if (!operation) throw new Error('a request without an operation')
    const handler = this.#handlers[operation.id as keyof DevHandlers] as unknown as (
      request: Omit<DevRequest<never>, 'body'> & { body: unknown },
    ) => Promise<Answer | DevEventsAnswer>
    const answer = await handler({
      tenant: caller?.tenant ?? '',
      path: parameters,
      query,
      body,
      onDisconnect: (listener: () => void) => request.onClose(listener),
    } as never)
    if ('events' in answer) {
      const pieces = whileAllowed(this.#route, this.#services, request, answer.events, event => event)
      return { status: answer.status, headers: streamHeaders('text/event-stream'), pieces }
    }
    return answer.body === undefined
      ? { status: answer.status, headers: {} }
      : jsonResponse(answer.status, answer.body)
  }

  // Digests have the same length, so that the comparison tells nothing of the token.
  #checkToken(expected: string, { headers }: CoreRequest): void {
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
    if (sameDigest(sha256(given), expected)) return
    throw new ServiceError(
      'unauthenticated',
      'the header Authorization must be Bearer and the token of --dev-token',
    )
  }
}

/** The steps of the lifecycle, but the content type does not matter. */
const stepsAfterRoute: readonly Step[] = [
  (exchange, services) => (takesKey(exchange) ? identify(exchange, services) : undefined),
  (exchange, services) => (takesKey(exchange) ? authorize(exchange, services) : undefined),
  readBody,
  parse,
  validateStrictly,
]

const takesKey = ({ operation }: Exchange) => (operation?.applicationTypes.length ?? 0) > 0

/** Matches a Host header that names this machine. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/**
 * Refuses requests of web pages, as some operations need no key: by the `Origin` header, unless it is that of this
 * server's own pages, and by `Sec-Fetch-Site`.
 * @throws {ServiceError} permission_denied
 */
function refuseWebPages({ headers }: CoreRequest): void {
  const { origin, host } = headers
  const site = headers['sec-fetch-site'] ?? 'none'
  const isOwn =
    origin === undefined || (host !== undefined && origin.toLowerCase() === `http://${host.toLowerCase()}`)
  if (!isOwn || (site !== 'none' && site !== 'same-origin')) {
    throw new ServiceError('permission_denied', 'development endpoints refuse requests from web pages')
  }
}

/**
 * Refuses requests whose `Host` header names another machine: a page whose host name resolves to this machine (DNS
 * rebinding) sends no `Origin` with some requests. A token replaces this check: no such page knows it.
 * @throws {ServiceError} permission_denied
 */
function refuseOtherHosts({ headers: { host } }: CoreRequest): void {
  if (host !== undefined && !loopback.test(host)) {
    throw new ServiceError(
      'permission_denied',
      'the Host header names another host; development endpoints accept localhost, 127.0.0.1 or [::1]',
    )
  }
}

const folder = new URL('dev-page/', generatedFiles)

/**
 * Serves the page of a development server. The files have no data: the page asks the operations for these.
 * @param headerPrefix of the header for keys, such as `SVC`
 */
export function devPageFiles(headerPrefix: string): StaticFiles {
  return new StaticFiles({
    '/_dev': fileAt(new URL('index.html', folder), html, text => text.replace('HEADER_PREFIX', headerPrefix)),
    '/_dev/page.js': fileAt(new URL('page.js', folder), script),
    '/_dev/page.css': fileAt(new URL('page.css', folder), style),
  })
}
