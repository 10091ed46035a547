import type { Duplex } from 'node:stream'
import { Turns } from '../../base/flow/event-loop.ts'
import { connectionLimits } from '../../base/limits.ts'
import { monotonicMs } from '../../base/time/real-time.ts'

const { parsedBytes } = connectionLimits

/** Iterations in which connections are accepted, one in each, after an iteration that parsed what had waited. */
const acceptingIterations = 64

/**
 * Parses what arrives on connections in pieces, for which peers take turns. Otherwise one iteration of the event loop
 * would parse all that connections send at the same moment, and everybody else would wait for it.
 */
export class Intake {
  readonly #turns: Turns

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = monotonicMs) {
    this.#turns = new Turns(nowMs, acceptingIterations)
  }

  /**
   * Takes over from the parser that Node's HTTP server has attached to a connection.
   * @param isOver true as soon as nothing more is to be parsed: the rest is dropped
   */
  attach(socket: Duplex, peer: string, isOver: () => boolean): void {
    const parsers = socket.listeners('data') as ((bytes: Buffer) => void)[]
    for (const parse of parsers) socket.off('data', parse)
    const pieces: Buffer[] = []
    const parseAll = async () => {
      for (let [piece] = pieces; piece; [piece] = pieces) {
        const passed = this.#turns.passed(peer)
        if (passed) {
          socket.pause()
          await passed
        }
        if (isOver()) {
          pieces.length = 0
          return
        }
        for (const parse of parsers) parse(piece)
        pieces.shift()
        // A connection that is over stays paused: what it sends must not fill its buffer.
        if (passed && !isOver()) socket.resume()
      }
    }
    socket.on('data', (bytes: Buffer) => {
      const isParsing = pieces.length > 0
      for (let at = 0; at < bytes.length; at += parsedBytes) pieces.push(bytes.subarray(at, at + parsedBytes))
      if (!isParsing) void parseAll()
    })
  }
}
