import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { EgressError } from './egress-error.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Resolves a name to its addresses. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

export const systemResolve: Resolve = hostname => systemLookup(hostname, { all: true })

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
