import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** What the registries of special purposes (IANA, RFC 6890) keep from the public internet. */
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
  // Multicast, what is reserved, and broadcast.
  ['224.0.0.0', 3],
]

/** Nothing else is routed; loopback, link-local, unique local, mapped, NAT64 and multicast all lie outside. */
const global6: readonly (readonly [network: string, prefix: number])[] = [['2000::', 3]]

const special6: readonly (readonly [network: string, prefix: number])[] = [
  // Teredo and other protocols' own.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, which carries an IPv4 address of anyone's choice.
  ['2002::', 16],
  ['3fff::', 20],
]

function listOf(
  networks: readonly (readonly [network: string, prefix: number])[],
  family: 'ipv4' | 'ipv6',
): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}

const blocked4 = listOf(special4, 'ipv4')
const routed6 = listOf(global6, 'ipv6')
const blocked6 = listOf(special6, 'ipv6')

/**
 * Whether an address may belong to anyone on the public internet. What is no address is not public, and
 * neither is one with a zone.
 *
 * @example
 * isPublicAddress('93.184.215.14') // true
 * isPublicAddress('::ffff:10.0.0.1') // false
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blocked4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  return routed6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6')
}

/** The address that a URL's host is, without brackets; `undefined` where it is a name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIPv4(host) || isIPv6(host) ? host : undefined
}
