import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { runHere } from '../../../verify/support/run-here.ts'
import { openVault } from '../../../verify/support/vault.ts'
import { withoutIds } from '../../../verify/support/without-ids.ts'

const number = '4242424242424242'

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function openTenant() {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await vault.dev.createTenant()
  const headers = { 'SVC-API-KEY': tenant.privateKey, 'content-type': 'application/json' }
  const body = JSON.stringify({ type: 'card', data: { number, expiration_month: 12, expiration_year: 2090 } })
  const { id } = await (await fetch(`${url}/tokens`, { method: 'POST', headers, body })).json()
  const run = (args: readonly string[], key = tenant.managementKey) =>
    runHere(['leaks', '--url', url, ...args], { SURROGATE_MANAGEMENT_KEY: key })
  const other = async () => (await vault.dev.createTenant()).managementKey
  return { id, run, url, other }
}

t.test('places are printed with exit code 1, and no value', async t => {
  const { id, run } = await openTenant()
  const folder = t.testdir({
    'app.log': `start\ncard ${number} paid\n`,
    more: { 'a.txt': '4242 4242 4242 4242' },
  })
  const found = await run([folder])
  t.match(found, { code: 1, stderr: '2 values are too short to search for\n' })
  t.same(found.stdout.split('\n'), [
    `${join(folder, 'app.log')}:2:6 token ${id} (plain)`,
    `${join(folder, 'more/a.txt')}:1:1 token ${id} (separated)`,
    '2 places in 2 files; 1 values were searched for',
    '',
  ])
  t.notMatch(withoutIds(found.stdout), /4242/)
  const file = join(folder, 'app.log')
  t.match(await run([file, join(folder, 'more')]), { code: 1, stdout: /2 places in 2 files/ })
})

t.test('without a leak the exit code is 0, and links are not followed', async t => {
  const { run } = await openTenant()
  const folder = t.testdir({ 'app.log': 'card 4242424242424241 paid', elsewhere: { 'b.log': number } })
  mkdirSync(join(folder, 'searched'))
  writeFileSync(join(folder, 'searched/empty'), '')
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'searched/link'))
  const none = await run([join(folder, 'app.log'), join(folder, 'searched')])
  t.match(none, { code: 0, stdout: '0 places in 2 files; 1 values were searched for\n' })
})

t.test('what cannot be searched is one sentence, and exit code 2', async t => {
  const { run, url, other } = await openTenant()
  const folder = t.testdir({ 'app.log': 'a', 'empty.log': '' })
  const file = join(folder, 'app.log')
  const refused: readonly [args: string[], key: string | undefined, says: RegExp][] = [
    [[file], '', /which tenant\? Set --management-key/],
    [[], undefined, /expected PATH…/],
    [[join(folder, 'missing')], undefined, /missing cannot be read/],
    [[join(folder, 'empty.log')], undefined, /nothing was searched: .*empty.log has no text/],
    [[file], await other(), /the tenant has no value to search for/],
    [[file], 'key_mgt_of_nobody_at_all', /app.log could not be searched: dev.leaks.find: /],
    [
      [file, '--url', `http://127.0.0.1:${await closedPort()}`],
      undefined,
      /app.log could not be searched: ECONNREFUSED/,
    ],
  ]
  for (const [args, key, says] of refused) {
    const { code, stdout, stderr } = await run(args, key)
    t.equal(code, 2, stderr)
    t.equal(stdout, '')
    t.match(stderr, /^surrogate-server: [^\n]+\n$/)
    t.match(stderr, says)
  }
  t.match(await run([file]), { code: 0 }, `control at ${url}`)
})
