import type { Socket } from 'node:net'
import type { Admission, Lease, Party } from '../../base/flow/admission.ts'
import { Turns } from '../../base/flow/event-loop.ts'
import type { ConnectionLimits } from '../../base/limits.ts'
import {
  clearInterval,
  clearTimeout,
  monotonicMs,
  setInterval,
  setTimeout,
} from '../../base/time/real-time.ts'
import { Intake } from './intake.ts'
import { peerOf } from './peer.ts'

interface Ending {
  once(event: 'close', listener: () => void): unknown
}

interface Incoming {
  readonly complete: boolean
  readonly url?: string | undefined
}

interface Connection {
  readonly peer: string
  /** Absent for a connection in the reserve. */
  lease: Lease | undefined
  /** The caller of its last request. */
  party: Party
  /** Requests without a complete response. */
  requests: number
  /** Requests after the refusal. */
  surplus: number
  /** Requests that wait for the response before theirs. */
  readonly waiting: (() => void)[]
  /** The last request that arrived. */
  last?: Incoming
  /** True while the receiver has not taken a response completely. */
  isAnswering: boolean
  /** When the socket is destroyed; `Infinity` while Node's own timeouts or a handler decide. */
  deadlineMs: number
  /** The request whose body is awaited, since when, and how many bytes had arrived then. */
  body?: { readonly request: Incoming; readonly sinceMs: number; readonly bytesRead: number } | undefined
  /** True if no further request is accepted, so that nothing more is parsed. */
  isOver: boolean
  /** A refusal to send after the responses to all earlier requests. */
  refusal?: string
  /** True if it ends after its present response. */
  isLast?: boolean
}

const probes = /^\/(livez|readyz|healthz)\/?(\?|$)/

/** Returns a last response for the bare socket. */
export function refusalOf(status: string, header = ''): string {
  return `HTTP/1.1 ${status}\r\n${header}Cache-Control: no-store\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}

const noRoom = refusalOf('503 Service Unavailable', 'Retry-After: 1\r\n')

/**
 * The open connections and their deadlines. Node limits how long a request takes to arrive and how long a connection is
 * idle. This class limits how long a response takes to be received, how slowly a body arrives, how long a connection
 * outlives its last response, how many connections each party has, and how many requests of one wait for their turn.
 * Some connections beyond the limit are accepted in a reserve, for probes only.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #admission: Admission
  readonly #nowMs: () => number
  readonly #connections = new Map<Socket, Connection>()
  /** Connections without a request, the longest idle first. */
  readonly #idle = new Set<Socket>()
  /** Connections whose caller is not known yet, the oldest first. */
  readonly #unidentified = new Set<Socket>()
  /** Connections that only a probe may use, the oldest first. */
  readonly #reserve = new Set<Socket>()
  readonly #intake = new Intake()
  readonly #endings = new Turns()
  #isEnding = false
  readonly #checking: NodeJS.Timeout
  #grace: NodeJS.Timeout | undefined
  #closing = false

  constructor(limits: ConnectionLimits, admission: Admission, nowMs: () => number = monotonicMs) {
    this.#limits = limits
    this.#admission = admission
    this.#nowMs = nowMs
    this.#checking = setInterval(() => void this.#endOverdue(), limits.checkIntervalMs).unref()
  }

  /** True if a connection ends after its present response. */
  endsAfter(socket: Socket): boolean {
    return this.#closing || this.#reserve.has(socket) || this.#connections.get(socket)?.isLast === true
  }

  /** Lets a connection end after its present response. */
  endAfter(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection) connection.isLast = true
  }

  get count(): number {
    return this.#connections.size
  }

  add(socket: Socket): void {
    const peer = peerOf(socket.remoteAddress ?? '')
    const connection: Connection = {
      peer,
      party: { peer },
      lease: undefined,
      requests: 0,
      surplus: 0,
      isOver: false,
      waiting: [],
      isAnswering: false,
      deadlineMs: Number.POSITIVE_INFINITY,
    }
    this.#connections.set(socket, connection)
    this.#intake.attach(socket, peer, () => connection.isOver || socket.destroyed)
    socket.once('close', () => {
      this.#connections.delete(socket)
      this.#idle.delete(socket)
      this.#unidentified.delete(socket)
      this.#reserve.delete(socket)
      connection.lease?.release()
    })
    if (this.#closing) socket.destroy()
    else {
      connection.lease = this.#admit(connection.party)
      if (connection.lease) {
        this.#idle.add(socket)
        this.#unidentified.add(socket)
      } else this.#keepInReserve(socket)
    }
  }

  /**
   * Registers a request, in progress until `response` closes. Calls `serve` when the responses before its own are
   * taken, so that unread responses cannot pile up; never if the connection ends before.
   */
  begin(socket: Socket, request: Incoming, response: Ending, serve: (peer: string) => void): void {
    const connection = this.#connections.get(socket)
    if (!connection) return
    if (connection.isOver) {
      // Node keeps each request of the piece that it parses until the connection ends.
      if (++connection.surplus >= this.#limits.pipelinedRequests) socket.destroy()
      return
    }
    if (this.#reserve.has(socket) && !probes.test(request.url ?? '')) {
      // Refused at its deadline: whoever is refused at once connects again at once, and keeps others from being accepted.
      connection.isOver = true
      socket.pause()
      return
    }
    if (connection.requests >= this.#limits.pipelinedRequests) {
      this.refuse(socket, refusalOf('429 Too Many Requests'))
      return
    }
    connection.requests++
    connection.last = request
    this.#idle.delete(socket)
    response.once('close', () => this.#end(socket, connection))
    if (connection.requests === 1) serve(connection.peer)
    else connection.waiting.push(() => serve(connection.peer))
  }

  /** Counts a connection for the caller of its request. @throws {ServiceError} if the caller has too many */
  identify(socket: Socket, caller: Party): void {
    const connection = this.#connections.get(socket)
    if (!connection?.lease) return
    const { peer, party, lease } = connection
    if (party.application === caller.application && party.session === caller.session) return
    const { tenant, application, session } = caller
    const next = { peer, tenant, application, session }
    if (!lease.assign(next)) {
      this.#endIdle(next)
      if (!lease.assign(next)) throw this.#admission.refusal(this.#admission.full(next))
    }
    connection.party = next
    this.#unidentified.delete(socket)
  }

  /** To be called when the body of a request is awaited: it has to arrive at the least rate. */
  receiving(socket: Socket, request: Incoming): void {
    const connection = this.#connections.get(socket)
    if (!connection || request.complete) return
    connection.body = { request, sinceMs: this.#nowMs(), bytesRead: socket.bytesRead }
  }

  /** To be called when a response, or a piece of one, is written: the receiver has to take it in time. */
  responding(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (!connection) return
    connection.isAnswering = true
    this.progressed(socket)
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
    connection.isOver = true
    // Nothing more is worth reading. Who floods a connection has to wait for its end before the next one.
    socket.pause()
    if (!socket.writable) socket.destroy()
    else this.#sendRefusal(socket, connection)
  }

  #sendRefusal(socket: Socket, { requests, isAnswering, last, refusal }: Connection): void {
    // If the rest of the last request is malformed, the refusal is its response.
    const isPart = last?.complete === false
    if (refusal === undefined || requests > (isPart ? 1 : 0)) return
    // A refusal must not be sent in the middle of a response.
    if (isAnswering) socket.destroy()
    else {
      socket.end(refusal)
      this.linger(socket)
    }
  }

  /** Closes each connection when it has no request in flight, and all of them after `graceMs`. */
  close(graceMs: number): void {
    this.#closing = true
    for (const [socket, { requests }] of this.#connections) if (requests === 0) socket.destroy()
    // Keeps the process alive: a paused connection does not, whose end this waits for.
    this.#grace = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy()
    }, graceMs)
  }

  /** To be called when all connections are closed. */
  closed(): void {
    clearInterval(this.#checking)
    clearTimeout(this.#grace)
  }

  #end(socket: Socket, connection: Connection): void {
    connection.requests--
    connection.isAnswering = false
    connection.body = undefined
    connection.deadlineMs = Number.POSITIVE_INFINITY
    if (connection.refusal !== undefined) this.#sendRefusal(socket, connection)
    if (!this.#connections.has(socket)) return
    if (connection.requests > 0) {
      connection.waiting.shift()?.()
      return
    }
    if (connection.lease) this.#idle.add(socket)
    if (this.#closing) socket.end(() => socket.destroy())
    if (socket.writableEnded) this.linger(socket)
  }

  #expectWithin(socket: Socket, ms: number): void {
    const connection = this.#connections.get(socket)
    if (connection) connection.deadlineMs = this.#nowMs() + ms
  }

  /**
   * Admits a connection. If there is no room, it takes the place of an idle one, or of the one that has been open longest
   * without saying who it is for: whoever has no key cannot keep others out.
   */
  #admit(party: Party): Lease | undefined {
    const lease = this.#admission.take(party)
    if (lease || !(this.#endIdle(party) || this.#endUnidentified(party))) return lease
    return this.#admission.take(party)
  }

  #endUnidentified(party: Party): boolean {
    const [oldest] = this.#unidentified
    if (!oldest || this.#admission.full(party) !== 'total') return false
    this.#replace(oldest)
    return true
  }

  /** Ends the connection that has been idle longest in the share that is full: first one of the same peer. */
  #endIdle(party: Party): boolean {
    const full = this.#admission.full(party)
    const scope = full === undefined || full === 'total' ? 'peer' : full
    const idle = [...this.#idle]
    const own = idle.find(socket => this.#connections.get(socket)?.party[scope] === party[scope])
    const ended = own ?? (full === 'total' ? idle[0] : undefined)
    if (!ended) return false
    this.#replace(ended)
    return true
  }

  /** Ends a connection that another one takes the place of. */
  #replace(socket: Socket): void {
    this.#connections.get(socket)?.lease?.release()
    this.#idle.delete(socket)
    this.#unidentified.delete(socket)
    socket.destroy()
  }

  /** Keeps a connection that was not admitted for a probe, in the place of an older one of who has most of them. */
  #keepInReserve(socket: Socket): void {
    this.#reserve.add(socket)
    if (this.#reserve.size > this.#limits.reserve) {
      const byPeer = new Map<string, Socket[]>()
      for (const kept of this.#reserve) {
        const peer = this.#connections.get(kept)?.peer ?? ''
        const own = byPeer.get(peer)
        if (own) own.push(kept)
        else byPeer.set(peer, [kept])
      }
      const [ended = socket] = [...byPeer.values()].reduce((most, own) =>
        own.length > most.length ? own : most,
      )
      this.#reserve.delete(ended)
      ended.destroy()
    }
    this.#expectWithin(socket, this.#limits.reserveTimeoutMs)
  }

  #isTooSlow({ bytesRead }: Socket, { body }: Connection): boolean {
    if (!body || body.request.complete) return false
    const countedMs = this.#nowMs() - body.sinceMs - this.#limits.bodyGraceMs
    return countedMs > 0 && bytesRead - body.bytesRead < (countedMs / 1000) * this.#limits.bodyBytesPerSecond
  }

  /** Ends what is overdue, in turns: all of a crowd may be overdue at the same moment. */
  async #endOverdue(): Promise<void> {
    if (this.#isEnding) return
    this.#isEnding = true
    for (const [socket, connection] of this.#connections) {
      if (connection.deadlineMs > this.#nowMs() && !this.#isTooSlow(socket, connection)) continue
      const passed = this.#endings.passed()
      if (passed) await passed
      if (connection.deadlineMs <= this.#nowMs()) {
        const isSurplus = this.#reserve.has(socket) && connection.refusal === undefined
        if (isSurplus && connection.requests === 0) this.refuse(socket, noRoom)
        else socket.destroy()
      } else if (this.#isTooSlow(socket, connection)) this.refuse(socket, refusalOf('408 Request Timeout'))
    }
    this.#isEnding = false
  }
}
