import t from 'tap'
import { WaitingRoom } from './waiting-room.ts'

const limits = { queue: 6, queuePerTenant: 3, queueBytes: 100, queueBytesPerTenant: 50 }

t.test('the limits of one tenant and of all tenants are enforced', async t => {
  const room = new WaitingRoom(limits)
  for (let n = 0; n < 3; n++) t.ok(room.enter('a', 1))
  t.equal(room.enter('a', 1), undefined, 'three of one tenant already wait')
  for (let n = 0; n < 2; n++) t.ok(room.enter('b', 1))
  const leave = room.enter('c', 1)
  t.equal(room.enter('d', 1), undefined, 'six wait')
  leave?.()
  leave?.()
  t.equal(room.count, 5, 'leaving twice counts once')
  t.ok(room.enter('d', 1))
  t.equal(room.enter('e', 1), undefined)
})

t.test('the bytes of waiting invocations are limited too', async t => {
  const room = new WaitingRoom(limits)
  t.ok(room.enter('a', 40))
  t.equal(room.enter('a', 11), undefined)
  t.ok(room.enter('a', 10))
  t.ok(room.enter('b', 50))
  t.equal(room.enter('c', 1), undefined, 'a hundred bytes already wait')
  const alone = new WaitingRoom(limits)
  const leave = alone.enter('a', 1_000)
  t.ok(leave, 'a single one may have any size')
  t.equal(alone.enter('a', 1), undefined)
  leave?.()
  t.ok(alone.enter('a', 1))
})
