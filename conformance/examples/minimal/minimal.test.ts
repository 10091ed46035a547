import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import tap from 'tap'
import { run } from '../../src/run.ts'
import { outcomeOf } from '../../src/verdict.ts'

const folder = new URL('.', import.meta.url)

tap.test(
  'the minimal server is conformant in the features that it claims, and partial as a whole',
  async t => {
    const [privateKey, otherPrivateKey] = ['key_of_the_minimal_server', 'key_of_the_other_tenant']
    const child = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', folder))], {
      env: { PRIVATE_KEY: privateKey, OTHER_PRIVATE_KEY: otherPrivateKey },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    t.teardown(async () => {
      child.kill()
      await ended
    })
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const target = {
      baseUrl: line.replace('listening on ', ''),
      privateKey,
      otherPrivateKey,
      headerPrefix: 'SVC',
      capabilities: [],
      timeoutMs: 20_000,
      patienceMs: 20_000,
      fetch: (request: Request) => fetch(request),
    }
    const made = await run(target, { claims: ['tokens', 'types'] })
    t.same(
      made.results.filter(one => outcomeOf(one, 'core') === 'fail').map(one => [one.case.id, one.findings]),
      [],
    )
    t.match(made.features, { tokens: { verdict: 'conformant' }, types: { verdict: 'conformant' } })
    t.equal(made.claimed?.verdict, 'conformant')
    const { passed, total } = made.tallies.core ?? {}
    const guide = await readFile(new URL('../../GUIDE.md', folder), 'utf8')
    t.ok(guide.includes(`${passed} of the ${total} cases of core`), `the guide names ${passed} of ${total}`)
    t.equal(made.exitCode, 0)
    t.same(made.verdicts, { core: 'partial' })
    t.same(made.left, [])
    const open: typeof target.fetch = request => {
      const headers = new Headers(request.headers)
      if (headers.get('SVC-API-KEY') !== otherPrivateKey) headers.set('SVC-API-KEY', privateKey)
      return fetch(new Request(request, { headers }))
    }
    const unlocked = await run({ ...target, fetch: open }, { claims: ['tokens', 'types'] })
    t.equal(unlocked.claimed?.verdict, 'not conformant', 'a server without identification')
    const alone = await run({ ...target, otherPrivateKey: undefined }, { claims: ['tokens', 'types'] })
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
