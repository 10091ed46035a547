import type { ServerResponse } from 'node:http'
import { monotonicMs } from '../base/real-time.ts'
import { bytesOf, type CoreResponse } from './message.ts'

/** Observes the sending of a response in pieces. */
export interface Pace {
  /** Is called when the receiver has taken a piece. */
  progressed(): void
  /** Time limit for all pieces together. */
  readonly wholeTimeoutMs: number
}

/** Writes a response. Never rejects: if it cannot be sent completely, the connection is closed. */
export async function writeResponse(
  isHead: boolean,
  response: ServerResponse,
  content: CoreResponse,
  pace: Pace,
): Promise<void> {
  const { status, headers, body, pieces } = content
  if (status !== 204 && !pieces) {
    headers['Content-Length'] = String(body === undefined ? 0 : Buffer.byteLength(body))
  }
  try {
    // Headers in one call and a body in one string are Node's fast path.
    response.writeHead(status, headers)
    if (pieces && !isHead) await writePieces(response, pieces, pace)
    response.end(isHead ? undefined : body)
  } catch {
    // Either a header is not valid or the pieces ended early. Without the last chunk the response is visibly cut off.
    response.destroy()
  }
}

/** Writes the head of a response and so many bytes of its body, or nothing, and closes the connection. */
export function writeBeginning(
  response: ServerResponse,
  content: CoreResponse,
  after: number | 'nothing',
): void {
  const { socket } = response
  if (after === 'nothing') return void socket?.destroy()
  const whole = bytesOf(content)
  response.writeHead(content.status, { ...content.headers, 'Content-Length': String(whole.length) })
  response.flushHeaders()
  if (after > 0) response.write(whole.subarray(0, after))
  // After what was written, unlike `destroy`.
  socket?.destroySoon()
}

/** Writes each piece when the receiver has taken the one before, so that only one is in memory. */
async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
  { progressed, wholeTimeoutMs }: Pace,
): Promise<void> {
  const endMs = monotonicMs() + wholeTimeoutMs
  const iterator = pieces[Symbol.asyncIterator]()
  // Pieces that take long to come, such as events, should end as soon as nobody reads them.
  response.once('close', () => void iterator.return?.()?.catch(() => {}))
  for await (const piece of { [Symbol.asyncIterator]: () => iterator }) {
    // Leaving the loop ends the generator of the pieces.
    if (response.destroyed) return
    if (monotonicMs() > endMs) throw new Error('the receiver is too slow')
    if (!response.write(piece)) await taken(response)
    progressed()
  }
}

/** Resolves when the socket has taken what was written, or is closed. */
function taken(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
