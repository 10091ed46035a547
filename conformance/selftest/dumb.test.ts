// Only in CI: it runs the suite against many servers.
import tap from 'tap'
import type { Target } from '../src/harness/target.ts'
import type { Fetch } from '../src/harness/transport.ts'
import { cases, run } from '../src/run.ts'
import { outcomeOf } from '../src/verdict.ts'
import { capabilities, contract } from './_reference.ts'

const always = (status: number, text: string | null, type = 'application/json'): Fetch => {
  return async () => new Response(text, { status, headers: { 'Content-Type': type, 'SVC-TRACE-ID': 'dumb' } })
}

/** Servers that respond to every request in the same way. */
const dumbServers: Readonly<Record<string, Fetch>> = {
  'always 200 {}': always(200, '{}'),
  'always 201 {}': always(201, '{}'),
  'always 204': always(204, null),
  'always 400': always(400, '{"status":400}', 'application/problem+json'),
  'always 403': always(403, '{}'),
  'always 404': always(404, '{}'),
  'always 500': always(500, '{}'),
  'always an empty list': always(200, '{"pagination":{},"data":[]}'),
  'always a redirect': async () => new Response(null, { status: 302, headers: { Location: '/' } }),
  'never JSON': always(200, '{"id":'),
  'hangs up': async () => {
    throw new TypeError('fetch failed')
  },
  'never answers': () => new Promise<Response>(() => {}),
}

const silent = ['hangs up', 'never answers']

async function runOn(name: string) {
  const fetch = dumbServers[name] as Fetch
  const isSilent = silent.includes(name)
  let asked = 0
  const target: Target = {
    baseUrl: 'http://dumb',
    privateKey: 'key_private',
    publicKey: 'key_public',
    managementKey: 'key_management',
    otherPrivateKey: 'key_other',
    otherManagementKey: 'key_other_management',
    headerPrefix: 'SVC',
    clockUrl: 'http://dumb/clock',
    callbackHost: '127.0.0.1',
    webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    capabilities: [],
    timeoutMs: isSilent ? 2 : 5_000,
    patienceMs: 10,
    fetch: request => {
      // A run ends if the target does not respond any more, so what checks that gets a response here.
      const isProbe = /\/tokens$/.test(request.url) && request.method === 'GET'
      if (isSilent && isProbe) return Promise.resolve(Response.json({}))
      asked++
      return fetch(request)
    },
  }
  const made = await run(target, { contract, profile: 'surrogate', seed: 1, cases, capabilities })
  return { made, asked }
}

/** One case waits for 10 s if its server seems to accept its request: on all of them at the same time. */
let responding: Promise<ReadonlyMap<string, Awaited<ReturnType<typeof runOn>>>> | undefined
const runOnResponding = async () => {
  const names = Object.keys(dumbServers).filter(name => !silent.includes(name))
  return new Map(await Promise.all(names.map(async name => [name, await runOn(name)] as const)))
}

/** No case passes on a server that responds to every request in the same way, not even a case about refusals. */
for (const name of Object.keys(dumbServers)) {
  tap.test(name, async t => {
    responding ??= runOnResponding()
    const { made, asked } = (await responding).get(name) ?? (await runOn(name))
    t.ok(asked > 0, 'requests were sent')
    t.equal(made.results.length, cases.length, 'every case was run')
    const green = made.results.filter(
      result => outcomeOf(result, 'core') === 'pass' || outcomeOf(result, 'surrogate') === 'pass',
    )
    t.same(
      green
        .filter(one => one.requirement.profile === 'core' || outcomeOf(one, 'surrogate') === 'pass')
        .map(one => one.case.id),
      [],
    )
    t.same(
      made.results
        .filter(result => outcomeOf(result, 'surrogate') !== 'fail')
        .map(result => [result.case.id, outcomeOf(result, 'surrogate'), result.error]),
      [],
    )
    t.same(made.verdicts, { core: 'not conformant', surrogate: 'not conformant' })
  })
}
