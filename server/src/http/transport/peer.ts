/**
 * Returns the name under which connections from an address are counted: an IPv4 address, or the network of an IPv6
 * address, since a host may use any address of its /64.
 *
 * @example
 * peerOf('::ffff:192.0.2.7') // '192.0.2.7'
 * peerOf('2001:db8:0:1::7') // '2001:db8:0:1'
 */
export function peerOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  // Groups that `::` stands for are zero.
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail ? tail.split(':') : [])]
  return all.slice(0, 4).join(':')
}
