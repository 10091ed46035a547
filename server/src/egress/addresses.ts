import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Networks that are not part of the public internet (IANA's special-purpose registries, RFC 6890). */
const special4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  // Relays of 6to4.
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved and broadcast.
  ['224.0.0.0', 3],
]

/** All routed networks; loopback, link-local, unique local, mapped, NAT64 and multicast addresses are outside. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

const special6: readonly (readonly [network: string, prefix: number])[] = [
  // Teredo and other protocols.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, which contains an arbitrary IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
]

const special = new BlockList()
for (const [network, prefix] of special4) special.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of special6) special.addSubnet(network, prefix, 'ipv6')

/**
 * True if an address is on the public internet. False for text that is not an address, and for an address with a zone.
 *
 * @example
 * isPublicAddress('93.184.215.14') // true
 * isPublicAddress('::ffff:10.0.0.1') // false
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

/** Returns the host of a URL if it is an address, without brackets; `undefined` if it is a name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIPv4(host) || isIPv6(host) ? host : undefined
}
