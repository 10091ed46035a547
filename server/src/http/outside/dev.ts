import { invalid, ServiceError } from '../../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts'
import { connectionLimits } from '../../base/limits.ts'
import { sameDigest, sha256 } from '../../crypto/digest.ts'
import { parseBody, readBodyWithin } from '../json-body.ts'
import { type CoreRequest, type CoreResponse, jsonResponse } from '../message.ts'

/** The operations behind `/_dev/*`. */
export interface DevOperations {
  /** Resolves with the new time. */
  advanceClock(ms: number): Promise<{ readonly now: string }>
  reset(): Promise<void>
  createTenant(operator: boolean): Promise<JsonValue>
  /** Returns what the formula of a reactor printed, for a management key of its tenant. @throws {ServiceError} */
  printed(key: string | undefined, reactor: string): Promise<JsonValue>
  /** In lower case. */
  readonly keyHeader: string
  /** Every request must have it, if it is set. */
  readonly token: string | undefined
}

/** A century. A clock that was moved on far enough would have no dates left. */
const furthestMs = 100 * 365 * 24 * 60 * 60 * 1000

/** Matches a Host header that names this machine. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/**
 * Responds to the development endpoints. They need no key, so they refuse requests of web pages: by the `Origin`
 * header, and by a token or else the `Host` header, as a page whose host name resolves to this machine (DNS rebinding)
 * sends no `Origin` with some requests.
 *
 * @param path without a slash at the end
 * @returns `undefined` if there is no such endpoint
 */
export async function respondDev(
  dev: DevOperations,
  path: string,
  request: CoreRequest,
): Promise<CoreResponse | undefined> {
  const { method, headers } = request
  const reactor = method === 'GET' ? /^\/_dev\/reactors\/([^/]+)\/console$/.exec(path)?.[1] : undefined
  if (method !== 'POST' && reactor === undefined) return undefined
  refuseWebPages(headers)
  if (dev.token === undefined) refuseOtherHosts(headers)
  else requireToken(headers, dev.token)
  if (reactor !== undefined) return jsonResponse(200, await dev.printed(headers[dev.keyHeader], reactor))
  switch (path) {
    case '/_dev/clock': {
      const { advance_ms } = await readMembers(request)
      if (!Number.isSafeInteger(advance_ms) || Number(advance_ms) < 0 || Number(advance_ms) > furthestMs) {
        throw invalid('advance_ms', `must be a whole number of milliseconds from 0 to ${furthestMs}`)
      }
      return jsonResponse(200, await dev.advanceClock(Number(advance_ms)))
    }
    case '/_dev/reset':
      await dev.reset()
      return { status: 204, headers: {} }
    case '/_dev/tenants': {
      const { operator = false } = await readMembers(request)
      if (typeof operator !== 'boolean') throw invalid('operator', 'must be true or false')
      return jsonResponse(201, await dev.createTenant(operator))
    }
    default:
      return undefined
  }
}

/** @throws {ServiceError} permission_denied */
function refuseWebPages({ origin }: CoreRequest['headers']): void {
  if (origin !== undefined) {
    throw new ServiceError('permission_denied', 'development endpoints refuse requests from web pages')
  }
}

/** @throws {ServiceError} unauthenticated */
function requireToken({ authorization = '' }: CoreRequest['headers'], token: string): void {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
  // Digests of equal length, so that the time of the comparison tells nothing.
  if (sameDigest(sha256(given), sha256(token))) return
  throw new ServiceError(
    'unauthenticated',
    'the header Authorization must be Bearer and the token of --dev-token',
  )
}

/** @throws {ServiceError} permission_denied */
function refuseOtherHosts({ host }: CoreRequest['headers']): void {
  if (host !== undefined && !loopback.test(host)) {
    throw new ServiceError(
      'permission_denied',
      'the Host header names another host; development endpoints accept localhost, 127.0.0.1 or [::1]',
    )
  }
}

async function readMembers(request: CoreRequest): Promise<JsonObject> {
  const bytes = await readBodyWithin(request, connectionLimits.bodyBytes)
  const value = bytes.length === 0 ? {} : parseBody(bytes)
  if (isJsonObject(value)) return value
  throw new ServiceError('malformed_json', 'the body must be a JSON object')
}
