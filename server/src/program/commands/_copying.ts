import { join } from 'node:path'
import type { Test } from 'tap'
import { openReceiver } from '../../../verify/support/receiver.ts'
import { enginesToTry, openTestDatabase } from '../../../verify/support/storage.ts'
import { newMasterKey } from '../../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { furnish } from './_furnished.ts'
import { runCommand } from './table.ts'

export const oldKey = newMasterKey()
export const newKey = newMasterKey()
export const base64 = (key: Uint8Array) => Buffer.from(key).toString('base64')
export const keys = (from: Uint8Array | undefined, to: Uint8Array | undefined): Record<string, string> => ({
  ...(from ? { SURROGATE_MASTER_KEY: base64(from) } : {}),
  ...(to ? { SURROGATE_NEW_MASTER_KEY: base64(to) } : {}),
})

/** True if stores are databases in this run, and folders otherwise. */
export const isOnDatabase = enginesToTry.includes('postgres')

/** Returns an empty store, which is in the folder of the test if it is one of LevelDB. */
export async function newStore(t: Test, name: string): Promise<string> {
  if (!isOnDatabase) return `level:${join(t.testdirName, name)}`
  const url = await openTestDatabase(t)
  t.equal((await run('migrate', ['--storage', url], {})).refusal, '')
  return url
}

/** Runs a command in this process, which is faster. Returns its output, or the sentence of its refusal. */
export async function run(name: string, args: readonly string[], environment: Record<string, string>) {
  try {
    const { output, exitCode } = await runCommand(name, args, environment)
    return { output, exitCode, refusal: '' }
  } catch (error) {
    return { output: '', exitCode: 2, refusal: (error as Error).message }
  }
}

export const copy = (from: string, to: string, environment = keys(oldKey, newKey)) =>
  run('copy', ['--from', from, '--to', to], environment)

export const backUp = (from: string, file: string, environment = keys(oldKey, undefined)) =>
  run('backup', ['--storage', from, '--to', file], environment)

export const restore = (file: string, to: string, environment = keys(oldKey, undefined)) =>
  run('restore', ['--to', to, file], environment)

export const open = (t: Test, storage: string, masterKey: Uint8Array) =>
  openVault(t, {
    ...{ storage, masterKey, dev: false, allowPrivateCallbacks: true },
  })

/** Fills a small vault. Resolves with an API key that can read it. */
export async function fill(t: Test, storage: string, count = 3, masterKey = oldKey): Promise<string> {
  const vault = open(t, storage, masterKey)
  const { send, privateKey } = await openTenant(vault)
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      send('POST', '/tokens', { id: `kept-${index}`, type: 'token', data: `as it was ${index}` }),
    ),
  )
  await vault.close()
  return privateKey
}

/** Resolves with what a vault on a store keeps at a path. */
export async function read(
  t: Test,
  storage: string,
  masterKey: Uint8Array,
  apiKey: string,
  path = '/tokens/kept-1',
): Promise<unknown> {
  const vault = open(t, storage, masterKey)
  try {
    return (await sender(vault, apiKey)('GET', path)).json.data
  } finally {
    await vault.close()
  }
}

/**
 * Carries a vault with records of every kind from store to store, and compares responses of the last and the first.
 * @param carry the command that does it
 */
export async function moves(t: Test, storages: readonly string[], carry = copy): Promise<void> {
  const [first = ''] = storages
  let reply = 500
  let delivered = 0
  const receiver = await openReceiver(t, () => {
    if (reply === 200) delivered++
    return reply
  })
  const before = open(t, first, oldKey)
  const furnished = await furnish(before, receiver)
  const answers = await furnished.answers(before)
  t.ok(receiver.received.length > 0, 'a job was tried, and waits for its next attempt')
  await before.close()
  // Only now, as reads add entries to the log after their answer.
  const still = open(t, first, oldKey)
  const log = await furnished.log(still)
  await still.close()

  let key = oldKey
  for (const [index, to] of storages.slice(1).entries()) {
    const next = newMasterKey()
    const { output, exitCode, refusal } = await carry(storages[index] ?? '', to, keys(key, next))
    t.equal(refusal, '')
    t.equal(exitCode, 0)
    t.match(
      output,
      /^\d{3} records of 2 tenants were copied; all were read back and are equal; .* new key as .*\n$/,
    )
    key = next
  }
  reply = 200
  const after = open(t, storages.at(-1) ?? '', key)
  t.same(await furnished.log(after), log)
  for (const [index, answer] of (await furnished.answers(after)).entries()) t.equal(answer, answers[index])

  const again = await furnished.repeat(after)
  t.equal(again.text, furnished.replayed.text, 'a repeated request is not done again')
  const send = sender(after, furnished.tenant.privateKey)
  const grant = { nonce: furnished.session.nonce, permissions: ['token:read'] }
  t.equal((await send('POST', '/sessions/authorize', grant)).status, 200, 'an unused nonce still works')
  t.equal((await send('POST', '/sessions/authorize', grant)).status, 409)
  t.equal((await sender(after, furnished.session.key)('GET', '/tokens')).status, 200)
  const duplicate = await send('POST', '/tokens', {
    type: 'token',
    data: 'only once',
    deduplicate_token: true,
  })
  t.equal(duplicate.status, 200, 'deduplication still works')
  t.equal((await send('POST', '/tokens', { id: 'many-3', type: 'token', data: 1 })).status, 409)

  await after.clock.advance(60_000)
  t.equal(delivered, 1, 'the waiting job was done')
  t.match(await furnished.delivery(receiver), { raw: { configuration: { LIMIT: 7 } } })
  await after.clock.advance(61 * 60_000)
  const cards = (await send('POST', '/tokens/search', { query: 'type:card' })).json.data
  t.equal(cards[0].data.cvc, undefined, 'what was due has expired')
  await after.close()
}
