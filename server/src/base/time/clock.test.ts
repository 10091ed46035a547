import t from 'tap'
import { createClock } from './clock.ts'

t.test('a clock that is put back runs its timers as long from then as before', async t => {
  const clock = createClock({ realNowMs: () => 0 })
  const done: string[] = []
  await clock.advance(1000)
  await clock.advanceTenant('a', 500)
  clock.at(1100, async () => {
    done.push('ran')
  })
  clock.putBack()
  t.equal(clock.nowMs(), 0)
  t.equal(clock.nowUs('a'), 0)
  await clock.advance(99)
  t.same(done, [])
  await clock.advance(1)
  t.same(done, ['ran'])
  await clock.stop()
})

t.test('the clock is real time plus an offset that grows', async t => {
  const clock = createClock({ realNowMs: () => 1000 })
  t.equal(clock.nowMs(), 1000)
  await clock.advance(500)
  t.equal(clock.nowMs(), 1500)
  t.equal(clock.nowUs(), 1_500_000)
  t.equal(clock.offsetMs(), 500)
  await t.rejects(clock.advance(-1), RangeError)
  t.equal(clock.nowMs(), 1500)
})

t.test('advance resolves when all due tasks are done, and those that they made due', async t => {
  const clock = createClock({ realNowMs: () => 0 })
  const done: string[] = []
  clock.at(100, async () => {
    await new Promise(resolve => setImmediate(resolve))
    done.push('first')
    clock.at(150, async () => {
      done.push('made by the first')
    })
  })
  clock.at(201, async () => {
    done.push('too late')
  })
  await clock.advance(99)
  t.same(done, [])
  await clock.advance(101)
  t.same(done, ['first', 'made by the first'])
  await clock.stop()
})

t.test('a cancelled timer does not run; a failing one is reported and stops no other', async t => {
  const failures: unknown[] = []
  const clock = createClock({ realNowMs: () => 0, onError: error => failures.push(error) })
  const done: string[] = []
  const cancel = clock.at(10, async () => {
    done.push('cancelled')
  })
  clock.at(10, async () => {
    throw new Error('broken')
  })
  clock.at(10, async () => {
    done.push('sound')
  })
  cancel()
  await clock.advance(10)
  t.same(done, ['sound'])
  t.equal(failures.length, 1)
  await clock.stop()
})

t.test('a timer fires by itself when real time reaches it', async t => {
  const clock = createClock()
  await new Promise<void>(resolve => {
    // Timers do not keep a process alive; the test itself does, by this handle.
    const alive = setTimeout(() => {}, 10_000)
    clock.at(clock.nowMs() + 1, async () => {
      clearTimeout(alive)
      resolve()
    })
  })
  t.pass('it did')
  await clock.stop()
})

t.test('the clock follows the machine forward, but not back', async t => {
  let machineMs = 1_000_000
  let monotonic = 0
  const clock = createClock({ realNowMs: () => machineMs, monotonicMs: () => monotonic })
  const pass = (ms: number) => {
    machineMs += ms
    monotonic += ms
  }
  machineMs -= 100_000
  t.equal(clock.nowMs(), 1_000_000)
  pass(50_000)
  t.equal(clock.nowMs(), 1_049_500, 'a hundredth slower')
  t.equal(clock.machineMs(), 950_000)
  pass(11_000_000)
  t.equal(clock.nowMs(), 11_950_000, 'until the machine has caught up')
  machineMs += 500_000
  t.equal(clock.nowMs(), 12_450_000)
  clock.reach(12_000_000)
  t.equal(clock.nowMs(), 12_450_000)
  clock.reach(13_000_000)
  t.equal(clock.reachedMs(), 13_000_000)
  await clock.stop()
})

t.test('a clock begins where an earlier one ended', async t => {
  const clock = createClock({ realNowMs: () => 1_000, reachedMs: 5_000, offsetMs: 10 })
  t.equal(clock.nowMs(), 5_010)
  t.equal(createClock({ realNowMs: () => 9_000, reachedMs: 5_000 }).nowMs(), 9_000)
})

t.test('a timer runs when its time has passed, even if the machine was set back', async t => {
  let wrongMs = 0
  const clock = createClock({
    realNowMs: () => Date.now() - wrongMs,
    monotonicMs: () => performance.now(),
  })
  await new Promise<void>(resolve => {
    const alive = setTimeout(() => {}, 30_000)
    clock.at(clock.nowMs() + 20, async () => {
      clearTimeout(alive)
      resolve()
    })
    wrongMs = 3_600_000
  })
  t.pass('it did')
  await clock.stop()
})
