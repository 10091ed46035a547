import { isIP } from 'node:net'
import { all, compile } from 'proxy-addr'

/** Finds the address of the client that sent a request, which a proxy may have passed on. */
export type ClientAddress = (request: {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}) => string | undefined

/**
 * Believes the headers `X-Forwarded-For` and `Forwarded` as far as trusted proxies wrote them: from the right, up to the
 * first address that is not one of theirs. A request with both headers that differ has the address of its proxy, as a
 * proxy that writes one of them may pass on the other as the client sent it.
 *
 * @param trusted addresses and networks in the notation of CIDR
 */
export function clientAddressBehind(trusted: readonly string[]): ClientAddress {
  const isTrusted = compile([...trusted])
  return ({ socket: { remoteAddress }, headers }) => {
    const lists = [headers['x-forwarded-for'], hopsOf(headers.forwarded)].filter(list => list !== undefined)
    if (remoteAddress === undefined || lists.length === 0) return remoteAddress
    const found = lists.map(list => {
      const hops = String(list).split(',').map(addressOf).join(',')
      const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': hops } }
      return all(request as never, isTrusted).findLast(isIP)
    })
    return new Set(found).size === 1 ? found[0] : remoteAddress
  }
}

/** Returns the `for` of each element of a header `Forwarded` (RFC 7239), or `unknown`; nothing if it is not well-formed. */
function hopsOf(given: string | readonly string[] | undefined): string | undefined {
  if (given === undefined) return undefined
  const header = String(given)
  const pair = /[ \t]*([!#$%&'*+.^_`|~\w-]+)=("(?:[^"\\]|\\.)*"|[^\s",;]*)[ \t]*([,;]|$)/gy
  const hops = ['unknown']
  while (pair.lastIndex < header.length) {
    const [, name = '', value = '', end] = pair.exec(header) ?? []
    if (end === undefined) return ''
    if (name.toLowerCase() === 'for') hops[hops.length - 1] = value.replaceAll(/["\\,]/g, '')
    if (end === ',') hops.push('unknown')
  }
  return hops.join(',')
}

/** Takes off the port, and the brackets of an IPv6 address. */
function addressOf(hop: string): string {
  const text = hop.trim()
  return /^\[([^\]]*)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
