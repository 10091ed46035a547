import t from 'tap'
import { runHere } from '../../../verify/support/run-here.ts'
import { openTenant, openVault } from '../../../verify/support/vault.ts'
import { createSend } from '../../generated/client/transport.ts'
import { createVault } from '../../vault.ts'
import { printLog } from './client/print-log.ts'

const idsIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).entity_id)

t.test('the whole log is printed as lines of JSON, the oldest entry first, or what is later', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  for (const id of ['one', 'two', 'three'])
    await tenant.send('POST', '/tokens', { type: 'token', data: 1, id })
  const logs = (...args: string[]) =>
    runHere(['logs', '--entity-type', 'token', ...args], {
      SURROGATE_URL: url,
      SURROGATE_KEY: tenant.managementKey,
    })
  const { code, stdout, stderr } = await logs()
  t.equal(code, 0)
  t.equal(stderr, '')
  t.same(idsIn(stdout), ['one', 'two', 'three'])
  const [first = ''] = stdout.split('\n')
  t.same(idsIn((await logs('--after', JSON.parse(first).created_at)).stdout), ['two', 'three'])
  t.same(idsIn((await logs('--entity-id', 'two')).stdout), ['two'])
})

t.test('an operation of the contract is still one', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const environment = { SURROGATE_URL: url, SURROGATE_KEY: tenant.managementKey }
  t.match((await runHere(['logs', 'list'], environment)).stdout, /in all, page 1 of/)
  const refused = await runHere(['logs', 'list', '--follow', 'true'], environment)
  t.match(refused, { code: 2, stderr: /use surrogate-server logs --follow/ })
  t.match((await runHere(['logs', '--help'])).stdout, /--follow +go on.*surrogate-server logs list/s)
})

t.test('the exit code tells a refusal, a wrong command and a lost server apart', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const cases: readonly [args: string[], key: string | undefined, code: number, says: RegExp][] = [
    [[], tenant.privateKey, 1, /403/],
    [['--after', 'yesterday'], tenant.managementKey, 1, /400/],
    [[], undefined, 2, /there is no API key: set SURROGATE_KEY/],
    [['--since', 'x'], tenant.managementKey, 2, /Unknown option '--since'/],
    [['--url', 'nowhere'], tenant.managementKey, 2, /baseUrl must be an http\(s\) URL/],
    [['--url', 'http://127.0.0.1:1'], tenant.managementKey, 3, /no response from/],
  ]
  for (const [args, key, code, says] of cases) {
    const environment = { SURROGATE_URL: url, ...(key === undefined ? {} : { SURROGATE_KEY: key }) }
    const ended = await runHere(['logs', ...args], environment)
    t.match(ended, { code, stdout: '', stderr: says }, args.join(' '))
    t.equal(ended.stderr.split('\n').length, 2, 'one sentence')
  }
})

t.test('a log is followed across a restart of the server, each entry once', async t => {
  const storage = `level:${t.testdir()}/data`
  const start = async (port = 0) => {
    const vault = createVault({ storage, dev: true })
    return { vault, ...(await vault.listen({ port })) }
  }
  const before = await start()
  const { privateKey, managementKey } = await before.vault.createTenant()
  const store = async ({ vault }: typeof before, id: string) => {
    const headers = { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ type: 'token', data: 'secret', id })
    const { status } = await vault.fetch('http://vault/tokens', { method: 'POST', headers, body })
    t.equal(status, 201)
  }
  await store(before, 'early')
  const printed: string[] = []
  const told: string[] = []
  let after: typeof before | undefined
  t.teardown(() => after?.vault.close())
  const code = await printLog(createSend({ apiKey: managementKey, baseUrl: before.url }), {
    query: { entity_type: 'token', after: '1970-01-01T00:00:00Z' },
    follow: true,
    onProgress: line => void told.push(line),
    print: async line => {
      // As when the reader of a pipe has ended.
      if (printed.length === 4) throw Object.assign(new Error('gone'), { code: 'EPIPE' })
      printed.push(line)
      if (printed.length === 1) await store(before, 'second')
      if (printed.length !== 2) return
      await store(before, 'unread')
      await before.vault.close()
      after = await start(before.port)
      for (const id of ['late', 'later']) await store(after, id)
    },
  })
  t.equal(code, 0)
  t.same(idsIn(printed.join('\n')), ['early', 'second', 'unread', 'late'])
  t.ok(
    told.every(line => /^surrogate-server: (no response|connected again)/.test(line)),
    told.join('\n'),
  )
})
