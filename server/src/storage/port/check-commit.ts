import type { Write, Written } from './port.ts'

/** Rejects what no engine could store, before it can disturb the commits of others. @throws {RangeError} */
export function checkCommit(writes: readonly Write[], nowUs: number): void {
  checkTime(nowUs)
  for (const write of writes) {
    if ('dueMs' in write && write.dueMs !== undefined) checkTime(write.dueMs)
    if (write.type === 'restore') checkWritten(write)
  }
}

function checkWritten({ version, createdUs, modifiedUs }: Written): void {
  if (!Number.isInteger(version) || version < 1 || version > 0x7fffffff) {
    throw new RangeError('versions are whole numbers from 1 to 2^31 - 1')
  }
  checkTime(createdUs)
  if (modifiedUs === undefined) return
  checkTime(modifiedUs)
  if (modifiedUs <= createdUs) throw new RangeError('a document is modified after it was created')
}

function checkTime(time: number): void {
  if (!Number.isSafeInteger(time) || time < 0) throw new RangeError('times are whole numbers from 0 on')
}

/** About the bytes of all boxes of a commit, which limits how many commits share a group. */
export function bytesOf(writes: readonly Write[]): number {
  let bytes = 0
  for (const write of writes) if ('seal' in write) bytes += write.bytes
  return bytes
}
