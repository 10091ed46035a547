import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

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
