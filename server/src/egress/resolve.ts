import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { EgressError } from './egress-error.ts'

interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Resolves a name to its addresses. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

/** Resolves a name as the system does, also one of its own files. Occupies a thread: for names that the operator chose. */
export const systemResolve: Resolve = hostname => systemLookup(hostname, { all: true })

/**
 * Returns a function that asks the name servers itself, and so occupies no thread. Node has two for `systemResolve`, and
 * the system may keep one for half a minute if the servers of a name are silent: a few callbacks to such names would
 * keep all others from being resolved.
 *
 * @param servers by default those of the system
 * @param timeoutMs of the first try; the second takes twice as long
 */
export function dnsResolve(servers?: readonly string[], timeoutMs = 2_000): Resolve {
  return async hostname => {
    // Each has its own: the servers of the system may change.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = found
      .flatMap(result => (result.status === 'fulfilled' ? result.value : []))
      .map(address => ({ address, family: isIP(address) }))
    if (addresses.length === 0) throw new EgressError('network', 'network error')
    return addresses
  }
}

/**
 * Returns a lookup function for a socket that only returns accepted addresses. The socket connects to these
 * addresses, so a name cannot resolve to another one between the check and the connection.
 */
export function guardedLookup(resolve: Resolve, accepts: (address: string) => boolean): LookupFunction {
  const accepted = async (hostname: string) => {
    const [first, ...others] = (await resolve(hostname)).filter(({ address }) => accepts(address))
    if (!first) throw new EgressError('refused', 'the name has no allowed address')
    return [first, ...others] as const
  }
  return (hostname, { all }, done) => {
    accepted(hostname).then(
      found => (all ? done(null, [...found]) : done(null, found[0].address, found[0].family)),
      error => done(error, ''),
    )
  }
}
