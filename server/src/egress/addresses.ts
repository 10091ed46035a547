import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import type * as Library from 'ipaddr.js'

/** Loaded by `require`: an `import` of CommonJS first scans all of its text for exports, which takes four times as long. */
const ipaddr: typeof Library = createRequire(import.meta.url)('ipaddr.js')

/** All networks of IPv6 that are given out. */
const global6 = ipaddr.parseCIDR('2000::/3')

/**
 * True if an address is on the public internet: IANA's registries (RFC 6890) reserve it for no special purpose. False
 * for text that is not an address, and for an address with a zone.
 *
 * @example
 * isPublicAddress('93.184.215.14') // true
 * isPublicAddress('::ffff:10.0.0.1') // false
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(global6))
}

/** Returns the host of a URL if it is an address, without brackets; `undefined` if it is a name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? undefined : host
}
