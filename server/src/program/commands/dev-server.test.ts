import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { runHere } from '../../../verify/support/run-here.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { withoutIds } from '../../../verify/support/without-ids.ts'

const number = '4242424242424242'

async function open() {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const data = { number, expiration_month: 12, expiration_year: 2090 }
  await tenant.send('POST', '/tokens', { id: 'a-token', type: 'card', data })
  const run = (args: readonly string[], key = tenant.managementKey) =>
    runHere([args[0] ?? '', '--url', url, ...args.slice(1)], { SURROGATE_MANAGEMENT_KEY: key })
  return { vault, tenant, run }
}

t.test('leaks: places are printed with exit code 1, and no value', async t => {
  const { run } = await open()
  const folder = t.testdir({
    'app.log': `start\ncard ${number} paid\n`,
    more: { 'a.txt': '4242 4242 4242 4242' },
  })
  const found = await run(['leaks', folder])
  t.match(found, { code: 1, stderr: '2 values are too short to search for\n' })
  t.same(found.stdout.split('\n'), [
    `${join(folder, 'app.log')}:2:6 token a-token (plain)`,
    `${join(folder, 'more/a.txt')}:1:1 token a-token (separated)`,
    '2 places in 2 files; 1 values were searched for',
    '',
  ])
  t.notMatch(withoutIds(found.stdout), /4242/)
  const paths = [join(folder, 'app.log'), join(folder, 'more')]
  t.match(await run(['leaks', ...paths]), { code: 1, stdout: /2 places in 2 files/ })
})

t.test('leaks: without one the exit code is 0, and links are not followed', async t => {
  const { run } = await open()
  const folder = t.testdir({ 'app.log': 'card 4242424242424241 paid', elsewhere: { 'b.log': number } })
  mkdirSync(join(folder, 'searched'))
  writeFileSync(join(folder, 'searched/empty'), '')
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'searched/link'))
  const none = await run(['leaks', join(folder, 'app.log'), join(folder, 'searched')])
  t.match(none, { code: 0, stdout: '0 places in 2 files; 1 values were searched for\n' })
})

t.test('export: a tenant is written into a file for its owner, and a vault starts from it', async t => {
  const { run, tenant } = await open()
  const file = join(t.testdir(), 'fixtures.json')
  writeFileSync(file, 'before', { mode: 0o666 })
  const { code, stdout, stderr } = await run(['export', '--values', 'plain', file])
  t.same({ code, stderr }, { code: 0, stderr: '' })
  t.equal(stdout, `${file}: 3 applications, 0 formulas, 0 reactors, 1 tokens\n`)
  if (process.platform !== 'win32') t.equal(statSync(file).mode & 0o777, 0o600)
  const vault = openVault(t, { bootstrap: JSON.parse(readFileSync(file, 'utf8')) })
  const token = await sender(vault, tenant.privateKey)('GET', '/tokens/a-token')
  t.equal(token.json.data.number, number)

  const placeholders = await run(['export', file])
  t.equal(placeholders.code, 0)
  t.match(placeholders.stdout, /\nnew keys in the file: [0-9a-f-]{36}, [0-9a-f-]{36}, [0-9a-f-]{36}\n$/)
  t.notMatch(readFileSync(file, 'utf8'), new RegExp(`${tenant.privateKey}|whsec_`), 'by default')
})

t.test('what cannot be done is one sentence, and exit code 2', async t => {
  const { run, vault } = await open()
  const folder = t.testdir({ 'app.log': 'a', 'empty.log': '' })
  const file = join(folder, 'app.log')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const closed = ['--url', `http://127.0.0.1:${port}`]
  const { managementKey: empty } = await openTenant(vault)
  for (const [args, says, key] of [
    [['leaks', file], /which tenant\? Set --management-key/, ''],
    [['leaks'], /expected PATH…/],
    [['leaks', join(folder, 'missing')], /missing cannot be read/],
    [['leaks', join(folder, 'empty.log')], /nothing was searched: .*empty.log has no text/],
    [['leaks', file], /the tenant has no value to search for/, empty],
    [['leaks', file], /app.log could not be searched: dev.leaks.find: /, 'key_mgt_of_nobody_at_all'],
    [['leaks', file, ...closed], /app.log could not be searched: ECONNREFUSED/],
    [['export', '--values', 'all', file], /--values must be plain or placeholders/],
    [['export', join(file, 'no/such/folder')], /cannot be written/],
    [['export', ...closed, file], /could not be exported: ECONNREFUSED/],
  ] as [string[], RegExp, string?][]) {
    const { code, stdout, stderr } = await run(args, key)
    t.same({ code, stdout }, { code: 2, stdout: '' }, stderr)
    t.match(stderr, /^surrogate-server: [^\n]+\n$/)
    t.match(stderr, says)
  }
  t.match(await run(['leaks', file]), { code: 0 }, 'control')
})
