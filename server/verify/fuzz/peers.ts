import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { hostilePeers, type OpenPeer, openPeer } from '../support/hostile-peers.ts'
import { parseMessage } from './message.ts'

/** The value of each header of the fuzz's own target. */
export const fromTarget = 'from-target'

/** Headers that `/proxy` must not pass on, and one that it must. */
const targetHeaders = [
  ...'x-kept cache-control expires age vary surrogate-control cdn-cache-control set-cookie refresh nel'.split(
    ' ',
  ),
  ...'x-accel-redirect x-sendfile x-reproxy-url x-lighttpd-send-file x-litespeed-location'.split(' '),
  ...'x-envoy-immediate-health-check-fail x-appengine-blobkey service-worker-allowed report-to'.split(' '),
  ...'x-frame-options clear-site-data strict-transport-security access-control-allow-origin svc-trace-id'.split(
    ' ',
  ),
].map(name => `${name}: ${fromTarget}`)
const answer = ['HTTP/1.1 200 OK', 'Content-Length: 2', ...targetHeaders, '', '{}'].join('\r\n')

/** Time in which bytes that do not belong to a request arrive behind it. */
const lateMs = 20

/** The services that a server under test sends requests to: the fuzz's own target, and the hostile peers. */
export class Peers {
  readonly hostile: readonly OpenPeer[]
  readonly #teardowns: (() => unknown)[]
  readonly #target: Server
  readonly #arrived = new Map<string, string>()
  readonly #arrivals = new EventEmitter()
  /** What was wrong with the framing of requests since it was asked last. */
  #faults: string[] = []
  readonly #open = new Set<Socket>()

  private constructor(hostile: readonly OpenPeer[], teardowns: (() => unknown)[]) {
    this.hostile = hostile
    this.#teardowns = teardowns
    this.#target = createServer(socket => this.#serve(socket))
  }

  static async open(): Promise<Peers> {
    const teardowns: (() => unknown)[] = []
    const t = { teardown: (task: () => unknown) => teardowns.push(task) }
    const peers = new Peers(await Promise.all(hostilePeers.map(peer => openPeer(t, peer))), teardowns)
    await once(peers.#target.listen(0, '127.0.0.1'), 'listening')
    return peers
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#target.address() as AddressInfo).port}`
  }

  /** Values for placeholders: origins as they are, for webhooks. */
  get values(): [name: string, value: string][] {
    return [
      ['sink', `${this.#origin}/hook`],
      ...this.hostile.map(({ origin }, at): [string, string] => [`peer.${at}`, origin]),
    ]
  }

  /** Lets formulas and `/proxy` reach all of them, under the names that `nameOf` returns. */
  get env(): Record<string, string> {
    const origins = [this.#origin, ...this.hostile.map(({ origin }) => origin)]
    const mapped = origins.map((origin, at) => `${nameOf(at - 1)}=${origin}`).join(',')
    return { SURROGATE_PROXY_MAP_ORIGIN: mapped, SURROGATE_FORMULA_MAP_ORIGIN: mapped }
  }

  /** Resolves with the body of the request for a path when it has arrived at the fuzz's own target, if that is in time. */
  async arrival(path: string, patienceMs: number): Promise<string | undefined> {
    const late = AbortSignal.timeout(patienceMs)
    while (!this.#arrived.has(path) && !late.aborted) {
      await once(this.#arrivals, 'arrival', { signal: late }).catch(() => {})
    }
    return this.#arrived.get(path)
  }

  /** Returns what was wrong with the framing of requests for paths with this beginning, once each. */
  faultsAt(path: string): string[] {
    const own = this.#faults.filter(fault => fault.includes(` ${path} `))
    this.#faults = this.#faults.filter(fault => !own.includes(fault))
    return own
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
    this.#target.close()
    for (const task of this.#teardowns) task()
  }

  #serve(socket: Socket): void {
    this.#open.add(socket)
    socket.on('error', () => {}).on('close', () => this.#open.delete(socket))
    let bytes = Buffer.alloc(0)
    let late: NodeJS.Timeout | undefined
    socket.on('data', chunk => {
      bytes = Buffer.concat([bytes, chunk])
      const request = parseMessage(bytes, 0, 0)
      if (typeof request === 'number') return
      late ??= setTimeout(() => {
        if (bytes.length > request.end)
          this.#faults.push(`${request.first}: ${bytes.length - request.end} bytes behind it`)
        this.#arrived.set(request.first.split(' ')[1] ?? '', request.body.toString())
        this.#arrivals.emit('arrival')
        socket.end(answer)
      }, lateMs)
    })
    socket.on('end', () => {
      if (!late && bytes.length > 0)
        this.#faults.push(`${bytes.toString('latin1').split('\r')[0]}: it ends early`)
    })
  }
}

/** The origin under which formulas and `/proxy` know a hostile peer, or the fuzz's own target for -1. */
export const nameOf = (peer: number) => `https://${peer === -1 ? 'target' : `peer-${peer}`}.example`
