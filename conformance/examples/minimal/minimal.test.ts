// Only in CI: it runs the suite against another server.
import { readdir, readFile } from 'node:fs/promises'
import tap from 'tap'
import { minimalClaims, startMinimal } from '../../selftest/_minimal.ts'
import { run } from '../../src/run.ts'
import { outcomeOf } from '../../src/verdict.ts'

const folder = new URL('.', import.meta.url)

tap.test(
  'the minimal server is conformant in the features that it claims, and partial as a whole',
  async t => {
    const { close, ...keys } = await startMinimal()
    t.teardown(close)
    const { privateKey, otherPrivateKey } = keys
    const target = {
      ...keys,
      headerPrefix: 'SVC',
      capabilities: [],
      timeoutMs: 20_000,
      patienceMs: 20_000,
      fetch: (request: Request) => fetch(request),
    }
    const claims = minimalClaims
    const made = await run(target, { claims, concurrency: 4 })
    t.equal(made.invalid, undefined)
    t.same(
      made.results.filter(one => outcomeOf(one, 'core') === 'fail').map(one => [one.case.id, one.findings]),
      [],
    )
    t.match(made.features, {
      tokens: { verdict: 'conformant' },
      types: { verdict: 'conformant' },
      access: { verdict: 'conformant' },
    })
    const isOpen = (one: (typeof made.results)[number]) =>
      [...one.features].every(name => claims.some(claim => claim === name)) &&
      outcomeOf(one, 'core') !== 'pass'
    t.same(
      made.results.filter(isOpen).map(one => `${one.case.id}: ${one.notSupported}`),
      [],
    )
    t.equal(made.claimed?.verdict, 'conformant')
    const { passed, total } = made.tallies.core ?? {}
    const guide = await readFile(new URL('../../GUIDE.md', folder), 'utf8')
    t.ok(guide.includes(`${passed} of the ${total} cases of core`), `the guide names ${passed} of ${total}`)
    const readme = await readFile(new URL('../../README.md', folder), 'utf8')
    t.ok(
      readme.includes(
        `claimed tokens, types, access: ${passed} of ${passed}, conformant; core: ${passed} of ${total}`,
      ),
    )
    t.equal(made.exitCode, 0)
    t.same(made.verdicts, { core: 'partial' })
    t.same(made.left, [])
    const open: typeof target.fetch = request => {
      const headers = new Headers(request.headers)
      if (headers.get('SVC-API-KEY') !== otherPrivateKey) headers.set('SVC-API-KEY', privateKey)
      return fetch(new Request(request, { headers }))
    }
    const unlocked = await run({ ...target, fetch: open }, { claims })
    t.equal(unlocked.claimed?.verdict, 'not conformant', 'a server without identification')
    const alone = await run({ ...target, otherPrivateKey: undefined }, { claims })
    t.equal(alone.claimed?.verdict, 'partial', 'another tenant is part of every claim')
  },
)

tap.test('the minimal server is independent: it imports only Node and its own files', async t => {
  const files = (await readdir(folder)).filter(name => name.endsWith('.mjs'))
  t.ok(files.length >= 3)
  for (const name of files) {
    const text = await readFile(new URL(name, folder), 'utf8')
    for (const [, from = ''] of text.matchAll(/from '([^']+)'/g))
      t.match(from, /^(node:|\.\/[\w-]+\.mjs$)/, `${name} imports ${from}`)
  }
})
