import type { Socket } from 'node:net'
import type { ConnectionLimits } from './limits.ts'

interface Ending {
  once(event: 'close', listener: () => void): unknown
}

interface Incoming {
  readonly complete: boolean
}

interface Connection {
  /** Requests that are not answered yet. */
  requests: number
  /** The last request that came. */
  last?: Incoming
  /** Answers of which the receiver has not taken everything yet. */
  answers: number
  /** When the socket is destroyed, whatever goes on; `Infinity` where Node's own timeouts or a handler decide. */
  deadlineMs: number
  /** A refusal to send once all earlier requests are answered. No further request is accepted. */
  refusal?: string
  /** Requests that came after it, which Node remembers all the same. */
  ignored: number
}

/** How many times the accepted requests a connection may send in vain before it is destroyed. */
const mostIgnored = 20

/** A last answer on the bare socket. */
export function refusalOf(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}

/**
 * The open connections, and what each waits for. Node bounds how long a request takes to arrive and how long a
 * connection is idle; this class bounds the rest: how long an answer takes to be received, how long a connection
 * outlives its last answer, how many connections there are, and how many requests of one are in progress.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #nowMs: () => number
  readonly #connections = new Map<Socket, Connection>()
  /** Those without a request, the longest idle first. */
  readonly #idle = new Set<Socket>()
  readonly #checking: NodeJS.Timeout
  #closing = false

  constructor(limits: ConnectionLimits, nowMs: () => number = () => performance.now()) {
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

  /** An answer, or a piece of one, has been written: the receiver has to take it in time. */
  answering(socket: Socket): void {
    const connection = this.#connections.get(socket)
    // Answers behind one that is not taken give it no more time.
    if (connection && connection.answers++ === 0) this.#expectWithin(connection, this.#limits.answerTimeoutMs)
  }

  /** The receiver has taken a piece of an answer, and more will follow. */
  progressed(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection) this.#expectWithin(connection, this.#limits.answerTimeoutMs)
  }

  /** No further request is expected: the socket is destroyed when the peer does not close it soon. */
  linger(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection) this.#expectWithin(connection, this.#limits.lingerMs)
  }

  /** Ends a connection with an answer to what is not a request, behind those of earlier requests. */
  refuse(socket: Socket, answer: string): void {
    const connection = this.#connections.get(socket)
    // Each further byte is malformed too: the first refusal has said so.
    if (!connection || connection.refusal !== undefined) return
    connection.refusal = answer
    if (!socket.writable) socket.destroy()
    else this.#sendRefusal(socket, connection)
  }

  #sendRefusal(socket: Socket, { requests, answers, last, refusal }: Connection): void {
    // Malformed may be the rest of the last request, which then has no other answer.
    const isPart = last?.complete === false
    if (refusal === undefined || requests > (isPart ? 1 : 0)) return
    // Not into the middle of an answer.
    if (answers > 0) socket.destroy()
    else {
      socket.end(refusal)
      this.linger(socket)
    }
  }

  /** Ends every connection as soon as it has nothing in flight, and all of them when the grace is over. */
  close(graceMs: number): void {
    this.#closing = true
    for (const [socket, { requests }] of this.#connections) if (requests === 0) socket.destroy()
    setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy()
    }, graceMs).unref()
  }

  /** Nothing is left to check. */
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

  #expectWithin(connection: Connection, ms: number): void {
    connection.deadlineMs = this.#nowMs() + ms
  }

  /** Node drops connections beyond the limit before we see them, so one place is kept free where one can be. */
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
