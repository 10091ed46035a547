import type { ServerResponse } from 'node:http'
import type { CoreResponse } from './message.ts'

/** How an answer in pieces is watched on its way. */
export interface Pace {
  /** Called each time the receiver has taken what was written so far. */
  progressed(): void
  /** How long all pieces together may take. */
  readonly wholeTimeoutMs: number
}

/** Writes an answer. Never rejects: an answer that cannot be sent whole ends its connection. */
export async function writeAnswer(
  isHead: boolean,
  response: ServerResponse,
  answer: CoreResponse,
  pace: Pace,
): Promise<void> {
  const { status, headers, body, pieces } = answer
  if (status !== 204 && !pieces) {
    headers['Content-Length'] = String(body === undefined ? 0 : Buffer.byteLength(body))
  }
  try {
    // All headers in one go, and a text in one piece with them: anything else costs Node a slower way.
    response.writeHead(status, headers)
    if (pieces && !isHead) await writePieces(response, pieces, pace)
    response.end(isHead ? undefined : body)
  } catch {
    // A header that cannot be sent, or pieces that end early: without the last chunk, and as half a JSON text, no
    // receiver takes them for the whole answer.
    response.destroy()
  }
}

/** Writes each piece when the receiver has taken the one before, so that only one is in memory. */
async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  { progressed, wholeTimeoutMs }: Pace,
): Promise<void> {
  const endMs = performance.now() + wholeTimeoutMs
  for await (const piece of pieces) {
    // Leaving the loop lets go of what the pieces are made of.
    if (response.destroyed) return
    if (performance.now() > endMs) throw new Error('the receiver is too slow')
    if (!response.write(piece)) await taken(response)
    progressed()
  }
}

/** Resolves when the socket has taken what was written, or is gone. */
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
