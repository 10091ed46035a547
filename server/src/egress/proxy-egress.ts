import { type ExchangesOptions, type Incoming, OutgoingRequests, type Terms } from './exchange.ts'
import { type HeaderFields, passedHeaders } from './headers.ts'
import type { Message, Sender } from './network.ts'
import { AllowedOrigins, atOrigin, type OriginOptions } from './origins.ts'

interface ProxyEgressOptions extends OriginOptions, ExchangesOptions {
  /** Of the headers of this server, in lower case. */
  readonly headerPrefix: string
}

export interface ProxyResponse extends Pick<Incoming, 'status' | 'body'> {
  /** Names in lower case, without those of the connection. */
  readonly headers: HeaderFields
}

export type ProxyEgress = ReturnType<typeof createProxyEgress>
export type ProxiedRequest = ReturnType<ProxyEgress['begin']>

/** Lets proxied requests out, to origins that the operator allows. */
export function createProxyEgress(options: ProxyEgressOptions) {
  const origins = new AllowedOrigins(options)
  const exchanges = new OutgoingRequests(options)
  return {
    /** @throws {EgressError} policy, if requests to this URL are not allowed */
    check: (url: URL, by: Sender): void => void origins.checked(url, by),
    /** Begins an exchange, whose time runs from now on. @throws {EgressError} limit */
    begin: (terms: Terms) => {
      const exchange = exchanges.begin(terms)
      return {
        /** Sends a request; redirects are not followed. @throws {EgressError} */
        send: async (request: Message): Promise<ProxyResponse> => {
          const url = origins.checked(request.url, terms.by)
          const destination = origins.destinationOf(url)
          const outgoing = { ...request, ...destination, acceptEncoding: 'identity' }
          const { status, headers, body } = await exchange.send(outgoing)
          const passed = passedHeaders(headers, options.headerPrefix)
          const { to = url } = destination
          return { status, headers: asKnown(passed, to.origin, url.origin), body }
        },
        /** Ends the exchange, including the body of the response. */
        end: (): void => exchange.end(),
      }
    },
    /** Ends all exchanges. */
    close: (): void => exchanges.close(),
  }
}

/** Returns headers in which a redirect names the origin that the caller knows, not the one that it is mapped to. */
function asKnown(headers: HeaderFields, sent: string, known: string): HeaderFields {
  const { location = '' } = headers
  if (!URL.canParse(location) || new URL(location).origin !== sent) return headers
  return { ...headers, location: atOrigin(new URL(location), known).href }
}
