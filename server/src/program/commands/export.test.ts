import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runHere } from '../../../verify/support/run-here.ts'
import { openVault } from '../../../verify/support/vault.ts'

const number = '4242424242424242'

async function open() {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await vault.dev.createTenant()
  const headers = { 'SVC-API-KEY': tenant.privateKey, 'content-type': 'application/json' }
  const body = JSON.stringify({ id: 'a-token', type: 'card_number', data: number })
  await fetch(`${url}/tokens`, { method: 'POST', headers, body })
  const run = (...args: string[]) =>
    runHere(['export', '--url', url, ...args], { SURROGATE_MANAGEMENT_KEY: tenant.managementKey })
  return { run, tenant, file: join(t.testdir(), 'fixtures.json') }
}

t.test(
  'a tenant is written into a file that only its owner may read, and a vault starts from it',
  async t => {
    const { run, tenant, file } = await open()
    writeFileSync(file, 'before', { mode: 0o666 })
    const { code, stdout, stderr } = await run('--values', 'plain', file)
    t.same([code, stderr], [0, ''])
    t.equal(stdout, `${file}: 3 applications, 0 formulas, 0 reactors, 1 tokens\n`)
    if (process.platform !== 'win32') t.equal(statSync(file).mode & 0o777, 0o600)
    const vault = openVault(t, { bootstrap: JSON.parse(readFileSync(file, 'utf8')) })
    const headers = { 'SVC-API-KEY': tenant.privateKey }
    const token = await (await vault.fetch('http://vault/tokens/a-token', { headers })).json()
    t.equal(token.data, number)
  },
)

t.test('by default values are placeholders and keys are new', async t => {
  const { run, tenant, file } = await open()
  const { code, stdout } = await run(file)
  t.equal(code, 0)
  t.match(stdout, /\nnew keys in the file: [0-9a-f-]{36}, [0-9a-f-]{36}, [0-9a-f-]{36}\n$/)
  const text = readFileSync(file, 'utf8')
  t.notMatch(text, new RegExp(`${tenant.privateKey}|whsec_`))
})

t.test('what cannot be done is one sentence and exit code 2', async t => {
  const { run, file } = await open()
  const cases = [
    [['--values', 'all', file], /--values must be plain or placeholders/],
    [[join(file, 'no/such/folder')], /cannot be written/],
    [['--url', 'http://127.0.0.1:1', file], /could not be exported/],
  ] as const
  for (const [args, says] of cases) {
    const { code, stderr } = await run(...args)
    t.equal(code, 2, String(says))
    t.match(stderr, says)
    t.equal(stderr.trimEnd().split('\n').length, 1)
  }
})
