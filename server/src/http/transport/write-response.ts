import type { ServerResponse } from 'node:http'
import { oncePerTurn } from '../../base/flow/event-loop.ts'
import { monotonicMs } from '../../base/time/real-time.ts'
import { bytesOf, type CoreResponse, lengthOf } from './message.ts'

/** Observes and limits the sending of a response in pieces. */
interface Pace {
  /** Is called when the receiver has taken a piece. */
  progressed(): void
  /** Takes memory for a piece that is longer than those before. @throws {ServiceError} if there is none */
  take(bytes: number): void
  /** The longest piece, and the time limit for all pieces together. */
  readonly limits: { readonly pieceBytes: number; readonly wholeAnswerTimeoutMs: number }
}

/** Writes a response. If it cannot be sent completely, the connection is closed. */
export function writeResponse(
  isHead: boolean,
  response: ServerResponse,
  content: CoreResponse,
  pace: Pace,
): void {
  const { status, headers, body, pieces } = content
  const length = lengthOf(content)
  if (status !== 204 && !pieces) headers['Content-Length'] = String(length)
  try {
    // Headers in one call and a body in one string are Node's fast path.
    response.writeHead(status, headers)
    // A long body is sent in pieces, too, so that a receiver that takes nothing of it is noticed.
    if (isHead || !(pieces || length > pace.limits.pieceBytes)) response.end(isHead ? undefined : body)
    // Its text is not kept beside its bytes.
    else void writeAll(response, pieces ?? inOnePiece(bytesOf(content)), pace, length)
  } catch {
    // A header is not valid.
    response.destroy()
  }
}

async function writeAll(
  response: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
  pace: Pace,
  length: number,
): Promise<void> {
  try {
    await writePieces(response, pieces, pace, Math.max(length, pace.limits.pieceBytes))
    response.end()
  } catch {
    // The pieces ended early. Without the last chunk the response is visibly cut off.
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

async function* inOnePiece(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}

/**
 * Writes each piece when the receiver has taken the one before, so that only one is in memory.
 * @param taken the bytes for which memory was taken
 */
async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
  { progressed, take, limits }: Pace,
  taken: number,
): Promise<void> {
  const endMs = monotonicMs() + limits.wholeAnswerTimeoutMs
  const iterator = pieces[Symbol.asyncIterator]()
  let most = taken
  // Pieces that take long to come, such as events, should end as soon as nobody reads them.
  onClose(response, () => void iterator.return?.()?.catch(() => {}))
  for await (const piece of { [Symbol.asyncIterator]: () => iterator }) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    if (bytes.length > most) {
      take(bytes.length - most)
      most = bytes.length
    }
    for (let at = 0; at < bytes.length; at += limits.pieceBytes) {
      // Leaving the loop ends the generator of the pieces.
      if (response.destroyed) return
      if (monotonicMs() > endMs) throw new Error('the receiver is too slow')
      if (!response.write(bytes.subarray(at, at + limits.pieceBytes))) await drained(response)
      progressed()
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

/** Responses that follow each other within so many real milliseconds are sent together. */
const closeMs = 1

/**
 * Sends the responses of one turn of the event loop together at its end, if they follow each other closely. Sending each
 * at once would wake its receiver in between: with 64 connections on one machine a read takes a fifth more of the
 * processor. But the end of a turn is far away where work is long, so a response on its own is sent at once.
 */
export class Outbox {
  readonly #nowMs: () => number
  #waiting: (() => void)[] = []
  #lastMs = Number.NEGATIVE_INFINITY
  readonly #flushLater = oncePerTurn(() => this.#flush())

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs
  }

  /** @param send is called now or at the end of this turn, and must not throw */
  add(send: () => void): void {
    const nowMs = this.#nowMs()
    const isAlone = nowMs - this.#lastMs > closeMs
    this.#lastMs = nowMs
    this.#waiting.push(send)
    if (isAlone) this.#flush()
    else this.#flushLater()
  }

  #flush(): void {
    const sends = this.#waiting
    this.#waiting = []
    for (const send of sends) send()
  }
}
