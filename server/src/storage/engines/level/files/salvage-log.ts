import { encodeLog, headerBytes, intactRecords } from './log-format.ts'

export interface SalvagedLog {
  /** A log of every record that is intact. */
  readonly bytes: Buffer
  /** How many bytes were left out. */
  readonly lostBytes: number
}

/** Takes the intact records out of a damaged log. One damaged byte costs the record that it is in. */
export function salvageLog(bytes: Buffer): SalvagedLog {
  const records: Buffer[] = []
  let keptBytes = 0
  for (const parts of intactRecords(bytes)) {
    records.push(Buffer.concat(parts))
    for (const part of parts) keptBytes += headerBytes + part.length
  }
  return { bytes: encodeLog(records), lostBytes: bytes.length - keptBytes }
}
