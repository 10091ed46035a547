import { blockBytes, encodeLog, first, headerBytes, middle, nextFragment, whole } from './log-format.ts'

export interface SalvagedLog {
  /** A log of every record that is intact. */
  readonly bytes: Buffer
  readonly records: number
  /** How many bytes were left out. */
  readonly lostBytes: number
}

/** Takes the intact records out of a damaged log. One damaged byte costs the record that it is in. */
export function salvageLog(bytes: Buffer): SalvagedLog {
  const records: Buffer[] = []
  let keptBytes = 0
  /** The fragments of a record that was begun and has been intact so far. */
  let open: Buffer[] | undefined
  for (let block = 0; block < bytes.length; block += blockBytes) {
    const end = Math.min(block + blockBytes, bytes.length)
    for (let at = block; end - at >= headerBytes; ) {
      const fragment = nextFragment(bytes, at, end)
      if (fragment?.start !== at + headerBytes) open = undefined
      if (!fragment) break
      at = fragment.end
      if (fragment.type === whole || fragment.type === first) open = []
      open?.push(bytes.subarray(fragment.start, fragment.end))
      if (!open || fragment.type === first || fragment.type === middle) continue
      records.push(Buffer.concat(open))
      keptBytes += open.reduce((sum, part) => sum + headerBytes + part.length, 0)
      open = undefined
    }
  }
  return { bytes: encodeLog(records), records: records.length, lostBytes: bytes.length - keptBytes }
}
