import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { EgressError } from './egress-error.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** What addresses a name has. Tests pass their own. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

export const systemResolve: Resolve = hostname => systemLookup(hostname, { all: true })

/**
 * Resolves names for a socket, and gives it only addresses that pass. The socket connects to what it is
 * given here, so between the check and the connection a name cannot change what it stands for.
 */
export function guardedLookup(resolve: Resolve, accepts: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    const answer = async () => {
      const found = await resolve(hostname)
      const passed = found.filter(({ address }) => accepts(address))
      const first = passed[0]
      if (!first) throw new EgressError('refused', 'the name stands for no address that is allowed')
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
