// In a process of its own: it takes long.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startProcess } from '../../../verify/support/process.ts'
import { runHere } from '../../../verify/support/run-here.ts'
import { newMasterKey } from '../../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { LevelStore } from '../../storage/engines/level/level-store.ts'
import { rootTenant } from '../../storage/keys/keyring.ts'
import { commands } from './table.ts'

const base64 = (key: Uint8Array) => Buffer.from(key).toString('base64')
const oldKey = newMasterKey()
const newKey = newMasterKey()

/** A folder with two tenants and a token, and the key that reads it. */
async function fill(folder: string): Promise<string> {
  const vault = openVault(t, { storage: `level:${folder}`, masterKey: oldKey, dev: false })
  const tenant = await openTenant(vault)
  await openTenant(vault)
  await tenant.send('POST', '/tokens', { id: 'kept', type: 'token', data: 'as it was' })
  await vault.close()
  return tenant.privateKey
}

async function readKept(folder: string, masterKey: Uint8Array, apiKey: string): Promise<unknown> {
  const vault = openVault(t, { storage: `level:${folder}`, masterKey, dev: false })
  try {
    return (await sender(vault, apiKey)('GET', '/tokens/kept')).json.data
  } finally {
    await vault.close()
  }
}

const rotate = (folder: string, from: Uint8Array | undefined, to: Uint8Array | undefined) =>
  runHere(['rotate-master-key', '--storage', `level:${folder}`], {
    ...(from ? { SURROGATE_MASTER_KEY: base64(from) } : {}),
    ...(to ? { SURROGATE_NEW_MASTER_KEY: base64(to) } : {}),
  })

const bytesUnder = (folder: string) =>
  Buffer.concat(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name))),
  )

t.test('after a rotation the new key opens all data, and the old key none', async t => {
  const folder = t.testdir()
  const apiKey = await fill(folder)
  const store = await LevelStore.open(join(folder, 'store'))
  const all = { nowMs: 0, offset: 0, limit: 10 }
  const { documents } = await store.find('tenant', rootTenant, { op: 'all' }, all)
  await store.close()
  t.equal(documents.length, 3, 'two tenants and the root')
  // The salt and nonce alone: what is long may be broken up where files are compressed.
  const old = documents.map(({ box }) => Buffer.from(box.subarray(5, 33)))
  for (const bytes of old) t.ok(bytesUnder(folder).includes(bytes), 'before, they are on the disk')

  const { code, stdout, stderr } = await rotate(folder, oldKey, newKey)
  t.equal(code, 0)
  t.equal(stderr, '')
  t.match(stdout, /^the keys of 2 tenants were wrapped under the new master key; .*SURROGATE_MASTER_KEY\n$/)
  for (const bytes of old) t.notOk(bytesUnder(folder).includes(bytes), 'what the old key wrapped is gone')
  t.equal(await readKept(folder, newKey, apiKey), 'as it was')
  await t.rejects(readKept(folder, oldKey, apiKey), { name: 'WrongMasterKey' })

  const again = await rotate(folder, oldKey, newKey)
  t.equal(again.code, 0, 'repeated, it has nothing to do')
  t.match(again.stdout, /already has the new master key/)
})

t.test('a job that cannot be done gets one sentence and exit code 2, and changes nothing', async t => {
  const folder = t.testdir({ full: {}, empty: {}, 'no-key': { 'master.key': 'short', store: {} } })
  const full = join(folder, 'full')
  const apiKey = await fill(full)
  const text = (key: string) => ({ SURROGATE_MASTER_KEY: base64(oldKey), SURROGATE_NEW_MASTER_KEY: key })
  const command = (given: Record<string, string>, ...args: string[]) =>
    runHere(['rotate-master-key', '--storage', `level:${full}`, ...args], given)
  // One after the other: the folder may be open only once at a time.
  const refusals: [name: string, attempt: () => ReturnType<typeof rotate>, sentence: RegExp][] = [
    ['no new key', () => rotate(full, oldKey, undefined), /SURROGATE_NEW_MASTER_KEY is missing/],
    ['no old key', () => rotate(full, undefined, newKey), /there is no master key: set SURROGATE_MASTER_KEY/],
    ['another old key', () => rotate(full, newMasterKey(), newKey), /the old master key is not the one/],
    ['the same key twice', () => rotate(full, oldKey, oldKey), /is the present key of the store/],
    [
      'a new key of another length',
      () => command(text('c2hvcnQ=')),
      /SURROGATE_NEW_MASTER_KEY must be 32 bytes/,
    ],
    ['no data', () => rotate(join(folder, 'empty'), oldKey, newKey), /there is no data in/],
    [
      'a key file that holds no key',
      () => rotate(join(folder, 'no-key'), undefined, newKey),
      /master\.key .* 32 bytes/,
    ],
    ['an empty store', () => rotate(join(folder, 'no-key'), oldKey, newKey), /has no keys yet/],
    ['memory', () => command(text(base64(newKey)), '--storage', 'memory:'), /level:<folder>/],
    ['a flag of the server', () => command(text(base64(newKey)), '--dev'), /Unknown option '--dev'/],
    ['a word too many', () => command(text(base64(newKey)), 'now'), /Unexpected argument/],
    ['no such command', () => runHere(['rotate']), /there is no command of that name/],
  ]
  for (const [name, attempt, sentence] of refusals) {
    const { code, stdout, stderr } = await attempt()
    t.equal(code, 2, name)
    t.equal(stdout, '')
    t.match(stderr, /^surrogate-server: [^\n]+\n$/, 'one sentence')
    t.match(stderr, sentence)
    for (const key of [oldKey, newKey]) t.notOk(stderr.includes(base64(key)), 'no key is repeated')
  }
  t.equal(await readKept(full, oldKey, apiKey), 'as it was')
})

t.test('a folder in use by a server is refused, and the server is not disturbed', async t => {
  const folder = t.testdir()
  const apiKey = await fill(folder)
  const server = startProcess(t, ['--storage', `level:${folder}`, '--port=0'], {
    SURROGATE_MASTER_KEY: base64(oldKey),
  })
  const { url } = await server.ready()
  const { code, stderr } = await rotate(folder, oldKey, newKey)
  t.equal(code, 2)
  t.match(stderr, /^surrogate-server: The data folder is in use by another process\.\n$/)
  const response = await fetch(`${url}/tokens/kept`, { headers: { 'SVC-API-KEY': apiKey } })
  t.equal(response.status, 200)
  await server.end()
  t.match(await rotate(folder, oldKey, newKey), { code: 0 })
})

t.test('master.key of a test server is replaced', async t => {
  const folder = t.testdir()
  const file = join(folder, 'master.key')
  const apiKey = await fill(folder)
  writeFileSync(file, `${base64(oldKey)}\n`)
  const { code, stdout } = await rotate(folder, undefined, newKey)
  t.equal(code, 0)
  t.match(stdout, /the new key is in master\.key/)
  t.equal(readFileSync(file, 'utf8'), `${base64(newKey)}\n`)
  t.equal(statSync(file).mode & 0o077, 0, 'for nobody else')
  t.equal(await readKept(folder, newKey, apiKey), 'as it was')

  // As if the process had died between the last commit and the file.
  writeFileSync(file, `${base64(oldKey)}\n`)
  t.match(await rotate(folder, undefined, newKey), {
    code: 0,
    stdout: /already has the new master key; the new key is in master\.key/,
  })
  t.equal(readFileSync(file, 'utf8'), `${base64(newKey)}\n`)
  t.match(await rotate(folder, undefined, newKey), { code: 2 })
})

t.test('the help lists the commands, and each has its own', async t => {
  const { code, stdout } = await runHere(['--help'])
  t.equal(code, 0)
  for (const { name, summary } of commands) {
    t.ok(stdout.includes(name) && stdout.includes(summary), name)
    const own = await runHere([name, '--help'])
    t.equal(own.code, 0)
    t.match(own.stdout, `Usage: surrogate-server ${name}`)
  }
})
