import { Exchanges, type ExchangesOptions, type Incoming, type Terms } from './exchange.ts'
import { passedHeaders } from './headers.ts'
import { AllowedOrigins, atOrigin, type OriginOptions } from './origins.ts'

interface ProxyEgressOptions extends OriginOptions, ExchangesOptions {
  /** Of the headers of this server, in lower case. */
  readonly headerPrefix: string
}

interface ProxyRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
}

export interface ProxyResponse extends Pick<Incoming, 'status' | 'body'> {
  /** Names in lower case, without those of the connection. */
  readonly headers: Readonly<Record<string, string>>
}

export interface ProxyExchange {
  /** Sends a request; redirects are not followed. @throws {EgressError} */
  send(request: ProxyRequest): Promise<ProxyResponse>
  /** Ends the exchange, including the body of the response. */
  end(): void
}

export interface ProxyEgress {
  /** @throws {EgressError} policy, if requests to this URL are not allowed */
  check(url: URL): void
  /** Begins an exchange, whose time runs from now on. @throws {EgressError} limit */
  begin(terms: Terms): ProxyExchange
  /** Ends all exchanges. */
  close(): void
}

/** Lets proxied requests out, to origins that the operator allows. */
export function createProxyEgress(options: ProxyEgressOptions): ProxyEgress {
  const origins = new AllowedOrigins(options)
  const exchanges = new Exchanges(options)
  return {
    check: url => void origins.checked(url),
    begin: terms => {
      const exchange = exchanges.begin(terms)
      return {
        send: async ({ url, ...request }) => {
          const destination = origins.destinationOf(origins.checked(url))
          const { status, headers, body } = await exchange.send({
            ...destination,
            ...request,
            acceptEncoding: 'identity',
          })
          return {
            status,
            headers: asKnown(
              passedHeaders(headers, options.headerPrefix),
              destination.url.origin,
              url.origin,
            ),
            body,
          }
        },
        end: () => exchange.end(),
      }
    },
    close: () => exchanges.close(),
  }
}

/** Returns headers in which a redirect names the origin that the caller knows, not the one that it is mapped to. */
function asKnown(headers: Record<string, string>, sent: string, known: string): Record<string, string> {
  const { location = '' } = headers
  if (!URL.canParse(location) || new URL(location).origin !== sent) return headers
  return { ...headers, location: atOrigin(new URL(location), known).href }
}
