/** A message of HTTP/1.1, as it was framed. */
export interface Message {
  /** The first line. */
  readonly first: string
  /** Names in lower case; the last value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The position after its last byte. */
  readonly end: number
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * Parses a message. Returns the number of bytes needed before parsing again if it is not complete.
 * @param unframed the length of a body that the headers say nothing of
 * @param isBodiless true for a first line of a message without a body, whatever its headers say
 */
export function parseMessage(
  bytes: Buffer,
  start: number,
  unframed: number,
  isBodiless: (first: string) => boolean = () => false,
): Message | number {
  const at = bytes.indexOf(headEnd, start)
  if (at === -1) return bytes.length + 1
  const [first = '', ...lines] = bytes.toString('latin1', start, at).split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const begin = at + headEnd.length
  const length = isBodiless(first) ? 0 : Number(headers['content-length'] ?? unframed)
  if (!isBodiless(first) && headers['transfer-encoding'] === 'chunked') {
    const chunked = parseChunks(bytes, begin)
    return typeof chunked === 'number' ? chunked : { first, headers, ...chunked }
  }
  if (Number.isNaN(length))
    throw new Error(`a message without a length: ${bytes.toString('latin1', start).slice(0, 300)}`)
  const end = begin + length
  return bytes.length < end ? end : { first, headers, body: bytes.subarray(begin, end), end }
}

function parseChunks(bytes: Buffer, start: number): Pick<Message, 'body' | 'end'> | number {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return bytes.length + 1
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    at = line + 2 + size + 2
    if (bytes.length < at) return at
    if (size === 0) return { body: Buffer.concat(chunks), end: at }
    chunks.push(bytes.subarray(line + 2, line + 2 + size))
  }
}
