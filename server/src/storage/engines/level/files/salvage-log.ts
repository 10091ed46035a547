import { encodeLog, headerBytes, intactRecords } from './log-format.ts'

export interface SalvagedLog {
  /** A log of all intact records. */
  readonly bytes: Buffer
  /** Bytes that were lost. */
  readonly lostBytes: number
}

/** Extracts the intact records of a damaged log. A damaged byte loses only its record. */
export function salvageLog(bytes: Buffer): SalvagedLog {
  const records: Buffer[] = []
  let keptBytes = 0
  for (const parts of intactRecords(bytes)) {
    records.push(Buffer.concat(parts))
    for (const part of parts) keptBytes += headerBytes + part.length
  }
  return { bytes: encodeLog(records), lostBytes: bytes.length - keptBytes }
}
