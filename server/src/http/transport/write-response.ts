import type { ServerResponse } from 'node:http'
import { connectionLimits } from '../../base/limits.ts'
import { bytesOf, type CoreResponse, lengthOf } from './message.ts'

const { pieceBytes } = connectionLimits

/** Writes a response. If it cannot be sent completely, the connection is closed. */
export function writeResponse(isHead: boolean, response: ServerResponse, content: CoreResponse): void {
  const { status, headers, body, pieces } = content
  const length = lengthOf(content)
  if (status !== 204 && !pieces) headers['Content-Length'] = String(length)
  try {
    // Headers in one call and a body in one string are Node's fast path.
    response.writeHead(status, headers)
    // A long body is sent in pieces, too, so that a receiver that takes nothing of it is noticed.
    if (isHead || !(pieces || length > pieceBytes)) response.end(isHead ? undefined : body)
    // Its text is not kept beside its bytes.
    else void writeAll(response, pieces ?? inOnePiece(bytesOf(content)))
  } catch {
    // A header is not valid.
    response.destroy()
  }
}

async function writeAll(response: ServerResponse, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  try {
    await writePieces(response, pieces)
    response.end()
  } catch {
    // The pieces ended early. Without the last chunk the response is visibly cut off.
    response.destroy()
  }
}

async function* inOnePiece(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}

/** Writes each piece when the receiver has taken the one before, so that only one is in memory. */
async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]()
  // Pieces that take long to come should end as soon as nobody reads them.
  onClose(response, () => void iterator.return?.()?.catch(() => {}))
  for await (const piece of { [Symbol.asyncIterator]: () => iterator }) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      // Leaving the loop ends the generator of the pieces.
      if (response.destroyed) return
      if (!response.write(bytes.subarray(at, at + pieceBytes))) await drained(response)
    }
  }
}

/** Calls a listener when a response closes, or now if it has. */
export function onClose(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener()
  else response.once('close', listener)
}

/** Resolves when the socket has taken what was written, or is closed. */
function drained(response: ServerResponse): Promise<void> {
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
