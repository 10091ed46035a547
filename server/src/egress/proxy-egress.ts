import type { Readable } from 'node:stream'
import { EgressError } from './egress-error.ts'
import { exchange, type Resolve, systemResolve, toEgressError } from './exchange.ts'
import { passedHeaders, sendableHeaders } from './headers.ts'
import { AllowedOrigins, atOrigin, type OriginOptions } from './origins.ts'

export interface ProxyEgressOptions extends OriginOptions {
  readonly resolve?: Resolve | undefined
}

export interface ProxyRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Ends the exchange, including the body of the response. */
  readonly signal: AbortSignal
}

export interface ProxyResponse {
  readonly status: number
  /** Names in lower case, without those of the connection. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

export interface ProxyEgress {
  /** @throws {EgressError} policy, if requests to this URL are not allowed */
  check(url: URL): void
  /** Sends a request; redirects are not followed. @throws {EgressError} */
  send(request: ProxyRequest): Promise<ProxyResponse>
}

/** Lets proxied requests out, to origins that the operator allows. */
export function createProxyEgress(options: ProxyEgressOptions): ProxyEgress {
  const origins = new AllowedOrigins(options)
  const { resolve = systemResolve } = options
  return {
    check: url => void origins.checked(url),
    send: async ({ url, method, headers, body, signal }) => {
      const sent = { ...sendableHeaders(headers), 'accept-encoding': 'identity' }
      try {
        const destination = origins.destinationOf(origins.checked(url))
        const response = await exchange({ ...destination, method, headers: sent, body, resolve, signal })
        // The reader of the body gets the error; without a reader there is nobody to tell.
        response.on('error', () => {})
        const { statusCode: status = 0 } = response
        if (status >= 200 && status <= 599) {
          const passed = asKnown(passedHeaders(response), destination.url.origin, url.origin)
          return { status, headers: passed, body: response }
        }
        response.destroy()
        throw new EgressError('network', 'network error')
      } catch (error) {
        throw toEgressError(error, signal)
      }
    },
  }
}

/** Returns headers in which a redirect names the origin that the caller knows, not the one that it is mapped to. */
function asKnown(headers: Record<string, string>, sent: string, known: string): Record<string, string> {
  const { location = '' } = headers
  if (!URL.canParse(location) || new URL(location).origin !== sent) return headers
  return { ...headers, location: atOrigin(new URL(location), known).href }
}
