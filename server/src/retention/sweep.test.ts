import t from 'tap'
import { bytesUnder } from '../../verify/support/files.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { systemRandom } from '../base/random.ts'
import { keyLength } from '../crypto/envelope.ts'

const minute = 60_000
const card = { number: '4242424242424242', cvc: '123' }

t.test('what has expired is erased within the hour, and a log entry says so', async t => {
  const vault = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const tenant = await openTenant(vault)
  const body = { id: 'ends', type: 'card', data: card, expires_at: '2030-01-01T00:01:00Z' }
  await tenant.send('POST', '/tokens', body)
  await tenant.send('POST', '/tokens', { id: 'stays', type: 'card', data: card })
  const log = async () =>
    (await tenant.asManagement('GET', '/logs?entity_type=token&entity_id=ends')).json.data
  await vault.clock.advance(minute - 1)
  t.equal((await log()).length, 1, 'its creation')
  await vault.clock.advance(2 * minute)
  t.match((await log())[0], { operation: 'token:expire', actor_type: 'system', entity_id: 'ends' })
  t.notOk('actor_id' in (await log())[0])
  t.equal((await tenant.send('GET', '/tokens/stays')).status, 200)
})

t.test('more than one batch goes in one sweep', async t => {
  const vault = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const tenant = await openTenant(vault)
  const body = { type: 'card', data: card, expires_at: '2030-01-01T00:00:10Z' }
  await Promise.all(Array.from({ length: 200 }, () => tenant.send('POST', '/tokens', body)))
  await vault.clock.advance(minute)
  t.equal((await tenant.asManagement('GET', '/logs?entity_type=token')).json.pagination.total_items, 400)
})

/** Every byte the store has written, as one text to look through. */
const textOf = (folder: string) => bytesUnder(folder).toString('latin1')

/** Where the store is the same before and after, what is new in it are the boxes of the record just made. */
function newRuns(before: string, after: string, length: number): string[] {
  const runs: string[] = []
  for (let at = 0; at + length <= after.length; at += length) {
    const run = after.slice(at, at + length)
    if (!before.includes(run)) runs.push(run)
  }
  return runs
}

t.test('within the hour after a deletion not even the ciphertext is on the disk', async t => {
  const folder = t.testdir()
  const vault = openVault(t, { storage: `level:${folder}`, masterKey: systemRandom().bytes(keyLength) })
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', { id: 'first', type: 'token', data: 'x' })
  const before = textOf(folder)
  await tenant.send('POST', '/tokens', { id: 'secret', type: 'token', data: 'y'.repeat(4000) })
  const written = newRuns(before, textOf(folder), 64)
  t.ok(written.length > 50, 'the box of 4,000 bytes was captured')

  await tenant.send('DELETE', '/tokens/secret')
  const still = textOf(folder)
  t.ok(written.filter(run => still.includes(run)).length > 50, 'right after the deletion it is still there')
  await vault.clock.advance(60 * minute)
  const left = textOf(folder)
  // The ids and terms of what stays, such as the log entry, may look like what was written with the record.
  const found = written.filter(run => left.includes(run))
  t.ok(found.length < 10, `${found.length} of ${written.length} pieces are left`)
})
