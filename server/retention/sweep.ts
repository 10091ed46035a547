import type { DocumentKind } from '../storage/port.ts'
import type { RecordValue, SealedStore } from '../storage/sealed.ts'
import type { TokensContext } from '../tokens/context.ts'
import { eraseExpired } from '../tokens/erase.ts'
import type { TokenRecord } from '../tokens/token.ts'

/**
 * How many documents are erased together. Enough to share a flush of the disk, few enough that a read that
 * arrives meanwhile hardly waits.
 */
const batchSize = 64

/** What ends and leaves nothing but its absence. */
const plainKinds: readonly DocumentKind[] = ['token-cvc', 'idempotency']

export interface SweepContext {
  readonly store: SealedStore
  readonly tokens: TokensContext
  nowUs(): number
  /** Lets whatever else waits go first. */
  yield(): Promise<void>
}

/**
 * Erases everything whose time is over: tokens with their codes and index entries, codes of cards, what was
 * kept for idempotency. Nothing of it could be read any more; this makes it cease to exist. A sweep that is
 * cut off is simply continued by the next one. Answers how many documents went.
 */
export async function sweep(context: SweepContext): Promise<number> {
  let erased = 0
  erased += await drain(context, 'token', async (store, record) => {
    await eraseExpired(context.tokens, store, record as never)
  })
  for (const kind of plainKinds) {
    erased += await drain(context, kind, async (store, { value, version }) => {
      await store.commit([store.remove(kind, value.id, version)], context.nowUs())
    })
  }
  return erased
}

type Due = Awaited<ReturnType<SealedStore['due']>>[number]

async function drain(
  context: SweepContext,
  kind: DocumentKind,
  erase: (store: Due['store'], record: Due['record']) => Promise<void>,
): Promise<number> {
  let erased = 0
  for (;;) {
    const due = await context.store.due<RecordValue | TokenRecord>(kind, context.nowUs() / 1000, batchSize)
    await Promise.all(due.map(({ store, record }) => erase(store, record)))
    erased += due.length
    if (due.length < batchSize) return erased
    await context.yield()
  }
}
