// In a process of its own: it takes long.
import tap from 'tap'
import type { Capability } from '../../src/capabilities.ts'
import type { Fetch } from '../../src/harness/transport.ts'
import { run } from '../../src/run.ts'
import { outcomeOf } from '../../src/verdict.ts'
import { contract, openReference } from '../_reference.ts'
import { type VariationName, variations } from './variations.ts'

// Machines that run other tests at the same time are slow.
tap.setTimeout(600_000)
tap.comment('timeout=600000')

/**
 * Honest servers are conformant. Each run has several variations, to save time: `npm run verify -- honest` runs each one alone.
 */
const servers: Readonly<Record<string, readonly VariationName[]>> = {
  'a server whose responses look different': [
    'times of a second',
    'another order of members',
    'no trace ids',
    'other members of errors',
    'other links of pages',
    'more members, and null for those not set',
    'a member more in every object',
    'other statuses where none is named',
    'other defaults of the types',
    'tokens deleted 55 minutes after their expiry',
    'an expression that names no token is null',
  ],
  'a server that takes its time': [
    'other texts of errors',
    'a search that lags',
    'a rate limit with Retry-After',
    'slower responses',
  ],
}
/** Takes minutes for all cases, so that only some are run here. */
const slow = '300 ms slow, with at most 20 requests a second'
tap.same(
  [...Object.values(servers).flat(), slow].sort(),
  Object.keys(variations).sort(),
  'each variation is part of one server',
)

async function runOn(parts: readonly VariationName[]) {
  const reference = await openReference()
  let limited = 0
  const varied = parts.reduce((next, part) => variations[part](next), reference.target.fetch)
  const fetch: Fetch = async request => {
    const response = await varied(request)
    if (response.status === 429) limited++
    return response
  }
  const target = { ...reference.target, fetch, capabilities: [] }
  // The search lags behind the writes of all cases, not only of its own.
  const concurrency = parts.includes('a search that lags') ? 1 : 4
  try {
    const made = await run(target, { contract, concurrency })
    const only = ['TOK-001.a', 'SEA-003.a']
    const capabilities: readonly Capability[] = ['read-your-writes']
    const strict = await run({ ...target, capabilities }, { contract, profile: 'surrogate', only })
    return { made, strict, limited }
  } finally {
    await reference.close()
  }
}

/** Most of the time of each run is spent waiting, so they go on at the same time. */
const runs = Promise.allSettled(Object.values(servers).map(runOn))

for (const [index, [name, parts]] of Object.entries(servers).entries()) {
  tap.test(name, async t => {
    const ended = (await runs)[index]
    if (ended?.status !== 'fulfilled') throw ended?.reason
    const { made, strict, limited } = ended.value
    t.same(
      made.results
        .flatMap(one => one.findings.map(found => `${found.profile} ${one.case.id} ${found.message}`))
        .filter(text => text.startsWith('core')),
      [],
      `seed ${made.seed}`,
    )
    t.same(made.verdicts, { core: 'conformant' }, made.invalid ?? '')
    t.same(made.left, [])
    t.not(strict.verdicts.surrogate, 'partial', 'the control: the server differs from ours')
    if (parts.includes('a rate limit with Retry-After')) t.ok(limited > 100, `${limited} responses were 429`)
  })
}

tap.test(`some cases on a server that is ${slow}`, async t => {
  const reference = await openReference()
  t.teardown(reference.close)
  let limited = 0
  const varied = variations[slow](reference.target.fetch)
  const fetch: Fetch = async request => {
    const response = await varied(request)
    if (response.status === 429) limited++
    return response
  }
  const only = ['TOK-00*', 'SES-00*', 'SEA-033']
  const made = await run({ ...reference.target, fetch, capabilities: [] }, { contract, only, concurrency: 8 })
  const ran = made.results.filter(one => one.skipped === undefined)
  t.ok(ran.length > 20 && limited > 0, `${ran.length} cases, ${limited} responses of 429`)
  t.same(
    ran.filter(one => outcomeOf(one, 'core') !== 'pass').map(one => [one.case.id, one.findings]),
    [],
  )
  t.same(made.left, [])
})

tap.test('access is tested by three keys on a server without our endpoint for applications', async t => {
  const reference = await openReference()
  t.teardown(reference.close)
  const { target, vault } = reference
  const create = async (rights: object) => {
    const request = new Request('http://vault/applications', {
      method: 'POST',
      headers: { 'SVC-API-KEY': target.managementKey ?? '', 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'by hand', type: 'private', ...rights }),
    })
    return ((await (await vault.fetch(request)).json()) as { key: string }).key
  }
  const reading = (transform: string) =>
    create({
      rules: [{ priority: 1, container: '/', transform, permissions: ['token:read', 'token:search'] }],
    })
  const keys = {
    maskedKey: await reading('mask'),
    redactedKey: await reading('redact'),
    limitedKey: await create({ permissions: ['token:use'] }),
  }
  const own: Fetch = async request =>
    new URL(request.url).pathname === '/applications' ? Response.json({ items: [] }) : target.fetch(request)
  const only = ['TOK-024', 'TOK-025', 'TOK-028', 'TOK-044', 'SEA-031', 'AUT-00*', 'AUT-010']
  const outcomes = async (more: object) => {
    const made = await run({ ...target, ...more, fetch: own }, { contract, only })
    return new Set(
      made.results
        .filter(one => one.skipped === undefined)
        .map(one => `${one.case.id} ${outcomeOf(one, 'core')}`),
    )
  }
  const found = await outcomes(keys)
  t.ok(found.size >= 14, `${found.size} cases`)
  t.same(
    [...found].filter(one => !one.endsWith(' pass')),
    [],
  )
  const without = await outcomes({})
  t.ok(without.has('TOK-024.a not-supported'), 'the control: without the keys they cannot be run')
  const swapped = await outcomes({ ...keys, maskedKey: keys.redactedKey, redactedKey: keys.maskedKey })
  t.ok(swapped.has('TOK-025.a fail') && swapped.has('TOK-044.a fail'), 'the control: other keys fail')
})
