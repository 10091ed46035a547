import { createRequire } from 'node:module'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
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

/** True for an address and port at which this server itself listens. */
export type IsOwn = (address: string, port: number) => boolean

/** @param ports returns the ports that are open now */
export function ownAddresses(ports: () => readonly number[]): IsOwn {
  return (address, port) => ports().includes(port) && isOfThisMachine(address)
}

/** True for loopback and unspecified addresses, and for those of this machine's interfaces as they are now. */
function isOfThisMachine(address: string): boolean {
  const own = new BlockList()
  own.addSubnet('127.0.0.0', 8, 'ipv4')
  own.addSubnet('0.0.0.0', 8, 'ipv4')
  // Unspecified and loopback.
  own.addSubnet('::', 127, 'ipv6')
  for (const one of Object.values(networkInterfaces()).flatMap(found => found ?? [])) {
    own.addAddress(one.address, one.family === 'IPv6' ? 'ipv6' : 'ipv4')
  }
  const [plain = address] = address.split('%')
  return own.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}
