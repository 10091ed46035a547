import { setTimeout as wait } from 'node:timers/promises'
import tap from 'tap'
import type { Case } from '../src/harness/case.ts'
import { guarded } from '../src/harness/guard.ts'
import type { Target } from '../src/harness/target.ts'
import { type RunOptions, run } from '../src/run.ts'
import { loadCarrier } from '../src/through/carrier.ts'
import { contract, openReference } from './_reference.ts'
import { listen, respondsToProbe } from './hostile.ts'

/** The suite is safe against the server that it tests. */
const targetAt = (baseUrl: string, more: Partial<Target> = {}): Target => ({
  baseUrl,
  privateKey: 'key_prv_of_the_hostile_server',
  headerPrefix: 'SVC',
  capabilities: [],
  timeoutMs: 20_000,
  patienceMs: 100,
  ...more,
})
const few: RunOptions = { contract, only: ['TOK-001', 'DAT-005'], seed: 1 }
const one: RunOptions = { ...few, only: ['TOK-001.a'] }
const findings = (made: Awaited<ReturnType<typeof run>>) =>
  made.results.flatMap(one => one.findings.map(found => found.message))

/** Waits until a condition holds. The test's own time limit ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(5)
}

tap.test('a response that never comes is waited for only until the deadline, and aborted', async t => {
  const { url, open } = await listen(t, (request, response) => {
    respondsToProbe(request, response)
  })
  const made = await run(targetAt(url, { timeoutMs: 2_000 }), one)
  t.match(findings(made), [/no response in time/])
  await until(() => open() === 0)
})

tap.test('a body that never ends is read up to a limit, and aborted', async t => {
  const chunk = Buffer.alloc(256 * 1024, ' ')
  const { url, open } = await listen(t, (request, response) => {
    if (respondsToProbe(request, response)) return
    response.writeHead(201, { 'Content-Type': 'application/json' })
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  })
  const made = await run(targetAt(url), few)
  t.match(findings(made), [/more than 8 MB/, /more than 8 MB/, /more than 8 MB/])
  await until(() => open() === 0)
})

tap.test('a body that drips is not waited for longer than a deadline', async t => {
  const { url, open } = await listen(t, (request, response) => {
    if (respondsToProbe(request, response)) return
    response.writeHead(201, { 'Content-Type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 10)
    response.on('close', () => clearInterval(timer))
  })
  const made = await run(targetAt(url, { timeoutMs: 2_000 }), one)
  t.match(findings(made)[0], /no response in time/)
  await until(() => open() === 0)
})

for (const through of ['http', 'sdk']) {
  tap.test(`a redirect to another origin is not followed, sent by ${through}`, async t => {
    const followed: string[] = []
    const other = await listen(t, (request, response) => {
      followed.push(JSON.stringify(request.headers))
      response.writeHead(200).end('{}')
    })
    const { url } = await listen(t, (request, response) => {
      if (respondsToProbe(request, response)) return
      response.writeHead(307, { Location: `${other.url}${request.url}` }).end()
    })
    const target = targetAt(url)
    const carrier = through === 'sdk' ? { carrier: await loadCarrier(target, contract) } : {}
    const made = await run(target, { ...few, ...carrier })
    t.same(followed, [])
    t.equal(made.verdicts.core, 'not conformant')
    const direct = await fetch(`${url}/other`)
    t.equal(direct.status, 200)
    t.equal(followed.length, 1, 'the control: another client follows it')
  })
}

tap.test('a resource that a server denies at clean-up counts as left if it can be read', async t => {
  const reference = await openReference()
  t.teardown(reference.close)
  const { fetch } = reference.target
  const denying: Target = {
    ...reference.target,
    fetch: request =>
      request.method === 'DELETE' ? Promise.resolve(Response.json({}, { status: 404 })) : fetch(request),
  }
  const options = { contract, only: ['DAT-007.a'] }
  const made = await run(denying, options)
  t.equal(made.left.length, 2)
  t.match(made.left, [/^\/tokens\//, /^\/tokens\//])
  const gone: Target = {
    ...reference.target,
    fetch: async request => {
      const response = await fetch(request)
      return request.method === 'DELETE' ? Response.json({}, { status: 404 }) : response
    },
  }
  t.same((await run(gone, options)).left, [], 'the control: it no longer exists')
})

tap.test(
  'a server that ends in the middle of a run makes the run incomplete, with the results so far',
  async t => {
    const reference = await openReference()
    t.teardown(reference.close)
    let asked = 0
    const { fetch } = reference.target
    const dying: Target = {
      ...reference.target,
      fetch: request => (++asked > 40 ? Promise.reject(new TypeError('fetch failed')) : fetch(request)),
    }
    // A case that waits for 10 s would be among the first.
    const made = await run(dying, { contract, seed: 1, skip: { 'INV-023.b': 'it takes long' } })
    t.match(made.invalid, /stopped responding/)
    t.same(made.verdicts, { core: 'incomplete' })
    t.ok(made.results.length > 1 && made.results.length < 40, `${made.results.length} results`)
  },
)

tap.test('a run ends at its limit, and when it is interrupted, without waiting for the server', async t => {
  const { url } = await listen(t, (request, response) => {
    respondsToProbe(request, response)
  })
  const limited = await run(targetAt(url), { ...few, limitMs: 300 })
  t.match(limited.invalid, /exceeded its limit of 0\.3 s/)
  const signal = AbortSignal.abort('interrupted by a test')
  const interrupted = await run(targetAt(url), { ...few, signal })
  t.equal(interrupted.invalid, 'interrupted by a test')
  t.same(interrupted.verdicts, { core: 'incomplete' })
})

tap.test('a request that is interrupted leaves no timer, which would hold the process', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const interruption = new AbortController()
  const { signal } = interruption
  const before = timers()
  const send = guarded(() => new Promise(() => {}), { timeoutMs: 60_000, signal })
  const sent = send({ method: 'GET', url: 'http://server/', headers: {} })
  t.equal(timers(), before + 1, 'the control')
  interruption.abort()
  await t.rejects(sent, { name: 'Interrupted' })
  t.equal(timers(), before)
})

tap.test(
  'an interrupted run is incomplete in every verdict, and lists what its requests may have created',
  async t => {
    const reference = await openReference()
    t.teardown(reference.close)
    const { fetch } = reference.target
    const only = ['DAT-007.a', 'TOK-002.a']
    const control = await run({ ...reference.target, fetch }, { contract, only })
    t.same({ invalid: control.invalid, left: control.left }, { invalid: undefined, left: [] }, 'the control')
    for (const id of [undefined, 'given-by-the-case']) {
      const interruption = new AbortController()
      let made = 0
      const stalling: Target = {
        ...reference.target,
        fetch: async request => {
          const isCreate = request.method === 'POST' && new URL(request.url).pathname === '/tokens'
          // The probe creates a token, too.
          if (!isCreate || ++made < 5) return fetch(request)
          await fetch(request)
          interruption.abort('interrupted by a test')
          return new Promise<Response>(() => {})
        },
      }
      const cases: Case[] = ['AUT-001.x', 'TOK-002.x', 'TOK-001.x'].map(name => ({
        id: name,
        requirement: name.slice(0, 7),
        title: name,
        needs: [],
        run: async c => {
          await c.token(id === undefined ? {} : { id: `${id}-${c.tag}` })
          await c.token()
        },
      }))
      const ended = await run(stalling, {
        contract,
        cases,
        seed: 1,
        signal: interruption.signal,
        claims: ['tokens', 'types'],
      })
      const verdicts = [ended.claimed, ...Object.values(ended.features), ...Object.values(ended.tallies)]
      t.ok(ended.results.length > 0 && verdicts.length >= 3)
      t.same(new Set(verdicts.map(one => one?.verdict)), new Set(['incomplete']))
      t.equal(ended.exitCode, 2)
      const isKnown = id !== undefined
      t.same(ended.left, isKnown ? [] : ['POST /tokens, which had no response'])
    }
  },
)

tap.test('a rate limit is waited for, and the request repeated with its body', async t => {
  const bodies: string[] = []
  const { url } = await listen(t, async (request, response) => {
    if (respondsToProbe(request, response)) return
    let text = ''
    for await (const chunk of request) text += chunk
    bodies.push(text)
    if (bodies.length % 2 === 1) response.writeHead(429, { 'Retry-After': '0' }).end()
    else response.writeHead(400).end()
  })
  const made = await run(targetAt(url), { contract, only: ['TOK-005.a'] })
  t.match(findings(made)[0], /the control was not accepted: expected a success \(2xx\), found 400/)
  t.equal(bodies.length, 2)
  t.equal(bodies[0], bodies[1])
  t.match(bodies[0], /"type":"token"/)
})
