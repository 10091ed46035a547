import t from 'tap'
import { nextTurn } from './event-loop.ts'
import { Places } from './places.ts'
import type { Principal } from './principal.ts'

/** A request that takes a place and tells when it has one. */
function enter(places: Places, principal: Omit<Principal, 'tenant'> & { tenant?: string }) {
  const one = { tenant: 'a', application: 'shop', ...principal }
  const entry = { one, hasPlace: false, refusal: undefined as unknown }
  try {
    const waiting = places.take(one)
    if (!waiting) entry.hasPlace = true
    else
      waiting.then(
        () => {
          entry.hasPlace = true
        },
        error => {
          entry.refusal = error
        },
      )
  } catch (error) {
    entry.refusal = error
  }
  return entry
}

const all = { application: undefined }

t.test('so many requests of a tenant work at once, others wait in order, one more is refused', async t => {
  const places = new Places('requests', { running: 2, waiting: 2 })
  const entries = Array.from({ length: 5 }, () => enter(places, all))
  const found = entries.map(one => one.hasPlace)
  t.same(found, [true, true, false, false, false])
  t.match(entries[4]?.refusal, { code: 'rate_limited', headers: { 'Retry-After': '1' } })
  t.ok(enter(places, { ...all, tenant: 'b' }).hasPlace, 'another tenant has places of its own')
  for (const at of [1, 0]) {
    places.release(entries[at]?.one as Principal)
    await nextTurn()
  }
  const seen = entries.map(one => one.hasPlace)
  t.same(seen, [true, true, true, true, false])
  places.release({ tenant: 'a' })
  t.notOk(enter(places, all).hasPlace, 'who has no place gives none back')
})

for (const { of, one, other, most } of [
  { of: 'an application', one: { application: 'one' }, other: { application: 'two' }, most: 6 },
  { of: 'a session', one: { session: 'one' }, other: { session: 'two' }, most: 4 },
]) {
  t.test(`${of} has at most its share, and others of the tenant find room`, async t => {
    const places = new Places('requests', { running: 8, waiting: 8 })
    const entries = Array.from({ length: 16 }, () => enter(places, one))
    t.equal(entries.filter(({ hasPlace }) => hasPlace).length, most)
    t.equal(entries.filter(({ refusal }) => refusal).length, 16 - 2 * most, 'nor does it fill the queue')
    const late = enter(places, other)
    t.ok(late.hasPlace)
    places.release(late.one)
    await nextTurn()
    t.equal(entries.filter(({ hasPlace }) => hasPlace).length, most, 'its place is not for the first')
    places.release(entries[0]?.one as Principal)
    await nextTurn()
    t.equal(entries.filter(({ hasPlace }) => hasPlace).length, most + 1)
  })
}

t.test('a caller that is gone gives its place in the queue to the next', async t => {
  const places = new Places('requests', { running: 1, waiting: 1 })
  const [first] = [enter(places, all)]
  const request = { isGone: false }
  const gone = enter(places, { ...all, request })
  t.ok(enter(places, all).refusal, 'the queue is full')
  request.isGone = true
  const next = enter(places, all)
  t.notOk(next.refusal)
  places.release(first.one)
  await nextTurn()
  t.match(gone.refusal, { code: 'malformed_json' })
  t.ok(next.hasPlace)
})

t.test('one that leaves while it waits is not given a place', async t => {
  const places = new Places('requests', { running: 1, waiting: 2 })
  const first = enter(places, all)
  const request = { isGone: false }
  const gone = enter(places, { ...all, request })
  const next = enter(places, all)
  request.isGone = true
  places.release(first.one)
  await nextTurn()
  t.match(gone.refusal, { code: 'malformed_json' })
  t.ok(next.hasPlace)
})

t.test('a task that fails gives its place back', async t => {
  const places = new Places('requests', { running: 1, waiting: 0 })
  for (const _ of [1, 2])
    await t.rejects(
      places.run({ tenant: 'a' }, async () => Promise.reject(new Error('no'))),
      { message: 'no' },
    )
})
