import type { Written } from './port.ts'

const mostVersion = 0x7fffffff

/** Refuses a time that no engine could store, before it can disturb the commits of others. @throws {RangeError} */
export function checkTime(time: number): void {
  if (!Number.isSafeInteger(time) || time < 0) throw new RangeError('times are whole numbers from 0 on')
}

/** The same for what a restored document says of itself. @throws {RangeError} */
export function checkWritten({ version, createdUs, modifiedUs }: Written): void {
  if (!Number.isInteger(version) || version < 1 || version > mostVersion) {
    throw new RangeError('versions are whole numbers from 1 to 2^31 - 1')
  }
  checkTime(createdUs)
  if (modifiedUs === undefined) return
  checkTime(modifiedUs)
  if (modifiedUs <= createdUs) throw new RangeError('a document is modified after it was created')
}
