import { type Clock, createClock } from './base/clock.ts'
import { describeError, type Log } from './base/log.ts'
import type { SealedStore } from './storage/sealed.ts'

/** Time that was moved forward stays moved: what had expired must not come back with a restart. */
export async function openDurableClock(
  realNowMs: () => number,
  store: SealedStore,
  log: Log,
): Promise<Clock> {
  const root = await store.root(realNowMs() * 1000)
  const kept = await root.get<{ id: string; offset_ms: number }>('setting', 'clock')
  return createClock({
    realNowMs,
    offsetMs: kept?.value.offset_ms ?? 0,
    onError: error => log.error('timer failed', describeError(error)),
  })
}

/** Another server on the same database may have been moved further: the time that is kept never goes back. */
export async function keepOffset(store: SealedStore, clock: Clock): Promise<void> {
  const root = await store.root(clock.nowUs())
  const value = { id: 'clock', offset_ms: clock.offsetMs() }
  for (;;) {
    const current = await root.get<typeof value>('setting', 'clock')
    if (current && current.value.offset_ms >= value.offset_ms) return
    const write = current ? root.replace('setting', current.version, value) : root.insert('setting', value)
    if ((await root.commit([write], clock.nowUs())).ok) return
  }
}
