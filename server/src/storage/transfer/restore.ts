import { bytesOf } from '../port/decide.ts'
import type { Store, Write } from '../port/port.ts'
import { CopyRefused } from './refusal.ts'

const mostBytes = 2 << 20

/**
 * Commits writes in batches, one at a time, so that the store always holds the beginning of each collection. More are
 * read while a batch is being written. Returns their number.
 */
export async function restoreInBatches(
  store: Store,
  writes: AsyncIterable<Write>,
  nowUs: number,
  batchSize = 500,
  onWritten: (count: number) => void = () => {},
): Promise<number> {
  let count = 0
  let batch: Write[] = []
  let bytes = 0
  let writing = Promise.resolve()
  const flush = async () => {
    await writing
    const full = batch
    batch = []
    bytes = 0
    writing = mustCommit(store, full, nowUs).then(() => {
      count += full.length
      onWritten(count)
    })
    // The next call awaits it and gets the error; until then it must not count as unhandled.
    writing.catch(() => {})
  }
  for await (const write of writes) {
    batch.push(write)
    bytes += bytesOf([write])
    if (batch.length >= batchSize || bytes >= mostBytes) await flush()
  }
  await flush()
  await writing
  return count
}

/** @throws {CopyRefused} */
export async function mustCommit(store: Store, writes: readonly Write[], nowUs: number): Promise<void> {
  const result = await store.commit(writes, nowUs).catch(error => {
    // Times and versions are not sealed, so the source may hold values that are not valid.
    if (!(error instanceof RangeError)) throw error
    throw new CopyRefused(
      `the source holds values that no store accepts: ${error.message}; restore the source first`,
    )
  })
  if (result.ok) return
  const { kind, tenant, id } = writes[result.conflict.write] as Write
  throw new CopyRefused(
    `the destination does not accept ${kind}/${tenant}/${id} (${result.conflict.reason}): ` +
      'another process writes to it, or the source has changed since the copy was begun',
  )
}
