import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
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
    const addresses = found.flatMap((result, at) =>
      result.status === 'fulfilled'
        ? result.value.map(address => ({ address, family: at === 0 ? 4 : 6 }))
        : [],
    )
    if (addresses.length === 0) throw new EgressError('network', 'network error')
    return addresses
  }
}

/**
 * Returns a lookup function for a socket that only returns accepted addresses. The socket connects to these
 * addresses, so a name cannot resolve to another one between the check and the connection.
 */
export function guardedLookup(resolve: Resolve, accepts: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    const answer = async () => {
      const found = await resolve(hostname)
      const passed = found.filter(({ address }) => accepts(address))
      const first = passed[0]
      if (!first) throw new EgressError('refused', 'the name has no allowed address')
      return { first, passed }
    }
    answer().then(
      ({ first, passed }) => {
        if (options.all) done(null, [...passed])
        else done(null, first.address, first.family)
      },
      error => done(error, '', 0),
    )
  }
}
