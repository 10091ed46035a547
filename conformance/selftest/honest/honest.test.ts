// In a process of its own: it takes long.
import tap from 'tap'
import type { Capability } from '../../src/capabilities.ts'
import type { Fetch } from '../../src/harness/target.ts'
import { run } from '../../src/run.ts'
import { contract, openReference } from '../_reference.ts'
import { type VariationName, variations } from './variations.ts'

/**
 * Honest servers are conformant. Each run has several variations, to save time: `npm run honest` runs each one alone.
 */
const servers: Readonly<Record<string, readonly VariationName[]>> = {
  'a server whose responses look different': [
    'times of a second',
    'another order of members',
    'no trace ids',
    'other members of errors',
    'other links of pages',
    'more members, and null for those not set',
    'other statuses where none is named',
  ],
  'a server that takes its time': [
    'other texts of errors',
    'a search that lags',
    'a rate limit with Retry-After',
    'slower responses',
  ],
}
tap.same(
  Object.values(servers).flat().sort(),
  Object.keys(variations).sort(),
  'each variation is part of one server',
)

for (const [name, parts] of Object.entries(servers)) {
  tap.test(name, async t => {
    const reference = await openReference()
    t.teardown(reference.close)
    let limited = 0
    const varied = parts.reduce((next, part) => variations[part](next), reference.target.fetch)
    const fetch: Fetch = async request => {
      const response = await varied(request)
      if (response.status === 429) limited++
      return response
    }
    const made = await run({ ...reference.target, fetch, capabilities: [] }, { contract })
    t.same(
      made.results
        .flatMap(one => one.findings.map(found => `${found.profile} ${one.case.id} ${found.message}`))
        .filter(text => text.startsWith('core')),
      [],
      `seed ${made.seed}`,
    )
    t.same(made.verdicts, { core: 'conformant' }, made.invalid ?? '')
    t.same(made.left, [])
    const only = ['TOK-001.a', 'SEA-003.a']
    const capabilities: readonly Capability[] = ['read-your-writes']
    const strict = await run(
      { ...reference.target, fetch, capabilities },
      { contract, profile: 'surrogate', only },
    )
    t.not(strict.verdicts.surrogate, 'partial', 'the control: the server differs from ours')
    if (parts.includes('a rate limit with Retry-After')) t.ok(limited > 100, `${limited} responses were 429`)
  })
}
