import type { Socket } from 'node:net'
import type { ConnectionLimits } from '../base/limits.ts'
import { clearInterval, monotonicMs, setInterval, setTimeout } from '../base/real-time.ts'

interface Ending {
  once(event: 'close', listener: () => void): unknown
}

interface Incoming {
  readonly complete: boolean
}

interface Connection {
  /** Requests without a complete response. */
  requests: number
  /** The last request that arrived. */
  last?: Incoming
  /** Responses that the receiver has not taken completely. */
  answers: number
  /** When the socket is destroyed; `Infinity` while Node's own timeouts or a handler decide. */
  deadlineMs: number
  /** A refusal to send after the responses to all earlier requests. No further request is accepted. */
  refusal?: string
  /** Requests that arrived after the refusal. Node keeps them in memory all the same. */
  ignored: number
}

/** A connection is destroyed after this many times `pipelinedRequests` ignored requests. */
const mostIgnored = 20

/** Returns a last response for the bare socket. */
export function refusalOf(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}

/**
 * The open connections and their deadlines. Node limits how long a request takes to arrive and how long a connection is
 * idle. This class limits how long a response takes to be received, how long a connection outlives its last response,
 * how many connections there are, and how many requests of one are in progress.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #nowMs: () => number
  readonly #connections = new Map<Socket, Connection>()
  /** Connections without a request, the longest idle first. */
  readonly #idle = new Set<Socket>()
  readonly #checking: NodeJS.Timeout
  #closing = false

  constructor(limits: ConnectionLimits, nowMs: () => number = monotonicMs) {
    this.#limits = limits
    this.#nowMs = nowMs
    this.#checking = setInterval(() => this.#destroyOverdue(), limits.checkIntervalMs).unref()
  }

  get closing(): boolean {
    return this.#closing
  }

  get count(): number {
    return this.#connections.size
  }

  add(socket: Socket): void {
    const deadlineMs = Number.POSITIVE_INFINITY
    this.#connections.set(socket, { requests: 0, answers: 0, deadlineMs, ignored: 0 })
    socket.once('close', () => {
      this.#connections.delete(socket)
      this.#idle.delete(socket)
    })
    if (this.#closing) socket.destroy()
    else {
      this.#makeRoom()
      this.#idle.add(socket)
    }
  }

  /** Registers a request, in progress until `response` closes. Returns false if it must not be served. */
  begin(socket: Socket, request: Incoming, response: Ending): boolean {
    const connection = this.#connections.get(socket)
    if (!connection) return false
    if (connection.refusal !== undefined) {
      if (++connection.ignored > mostIgnored * this.#limits.pipelinedRequests) socket.destroy()
      return false
    }
    if (connection.requests >= this.#limits.pipelinedRequests) {
      this.refuse(socket, refusalOf('429 Too Many Requests'))
      return false
    }
    connection.requests++
    connection.last = request
    this.#idle.delete(socket)
    response.once('close', () => this.#end(socket, connection))
    return true
  }

  /** To be called when a response, or a piece of one, is written: the receiver has to take it in time. */
  responding(socket: Socket): void {
    const connection = this.#connections.get(socket)
    // Later responses do not extend the deadline of the first.
    if (connection && connection.answers++ === 0) this.progressed(socket)
  }

  /** To be called when the receiver has taken a piece of a response, and more will follow. */
  progressed(socket: Socket): void {
    this.#expectWithin(socket, this.#limits.answerTimeoutMs)
  }

  /** To be called after the last response: the socket is destroyed if the peer does not close it soon. */
  linger(socket: Socket): void {
    this.#expectWithin(socket, this.#limits.lingerMs)
  }

  /** Ends a connection with a refusal, after the responses to earlier requests. */
  refuse(socket: Socket, answer: string): void {
    const connection = this.#connections.get(socket)
    // Each further byte is malformed too, and the first refusal is enough.
    if (!connection || connection.refusal !== undefined) return
    connection.refusal = answer
    if (!socket.writable) socket.destroy()
    else this.#sendRefusal(socket, connection)
  }

  #sendRefusal(socket: Socket, { requests, answers, last, refusal }: Connection): void {
    // If the rest of the last request is malformed, the refusal is its response.
    const isPart = last?.complete === false
    if (refusal === undefined || requests > (isPart ? 1 : 0)) return
    // A refusal must not be sent in the middle of a response.
    if (answers > 0) socket.destroy()
    else {
      socket.end(refusal)
      this.linger(socket)
    }
  }

  /** Closes each connection when it has no request in flight, and all of them after `graceMs`. */
  close(graceMs: number): void {
    this.#closing = true
    for (const [socket, { requests }] of this.#connections) if (requests === 0) socket.destroy()
    setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy()
    }, graceMs).unref()
  }

  /** To be called when all connections are closed. */
  closed(): void {
    clearInterval(this.#checking)
  }

  #end(socket: Socket, connection: Connection): void {
    const { requests, answers } = connection
    connection.requests = requests - 1
    connection.answers = Math.max(0, answers - 1)
    if (connection.answers > 0) this.progressed(socket)
    else connection.deadlineMs = Number.POSITIVE_INFINITY
    if (connection.refusal !== undefined) this.#sendRefusal(socket, connection)
    if (requests > 1 || !this.#connections.has(socket)) return
    this.#idle.add(socket)
    this.#makeRoom()
    if (this.#closing) socket.end(() => socket.destroy())
    if (socket.writableEnded) this.linger(socket)
  }

  #expectWithin(socket: Socket, ms: number): void {
    const connection = this.#connections.get(socket)
    if (connection) connection.deadlineMs = this.#nowMs() + ms
  }

  /** Keeps one place free, as Node drops connections beyond the limit before they reach this class. */
  #makeRoom(): void {
    if (this.#connections.size < this.#limits.connections) return
    const [longest] = this.#idle
    longest?.destroy()
  }

  #destroyOverdue(): void {
    const nowMs = this.#nowMs()
    for (const [socket, { deadlineMs }] of this.#connections) if (deadlineMs <= nowMs) socket.destroy()
  }
}
