import { generate } from '../load/generate.ts'
import { HttpConnection, head, withJson } from '../load/http-connection.ts'

/** What the attackers know: a tenant of their own with all of its keys. */
export interface Victim {
  readonly port: number
  readonly keys: {
    readonly private: string
    readonly masked: string
    readonly public: string
    readonly session: string
  }
  /** Tokens of 1 MB. */
  readonly large: readonly string[]
  /** As many steps as an expression may take. A hundred tokens have it. */
  readonly costlyMask: string
  /** Paths of reactors: one never ends, one calls back, one fetches from the origin in its arguments. */
  readonly reactors: {
    readonly endless: string
    readonly answering: string
    /** Its id, for `/proxy`. */
    readonly answeringId: string
    readonly fetching: string
  }
  /** Origins of hostile peers, for callbacks, and for `/proxy` and formulas. */
  readonly peers: {
    readonly callbacks: readonly string[]
    readonly targets: readonly string[]
    /** A target that sends 2 MB. */
    readonly plenty: string
  }
}

/** Goes on until the process is ended. */
type Attack = (victim: Victim) => Promise<unknown>

const json = (method: string, path: string, key: string, body: object) =>
  withJson(method, path, key, JSON.stringify(body))

/** Opens so many connections, uses each until it is closed, and opens another one. */
const hold = ({ port }: Victim, count: number, use: (connection: HttpConnection) => unknown) =>
  generate({
    senders: count,
    // A connection that is refused at once must not take the whole time of this process.
    pauseMs: 50,
    send: async (_, n) => {
      // Every fourth from another address, none of which is that of the others.
      const localAddress = `127.0.0.${2 + (n % 4)}`
      const connection = new HttpConnection({ port, host: '127.0.0.1', localAddress, timeout: 0 })
      const { socket } = connection
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.once('connect', () => use(connection))
      await closed
    },
    took: () => {},
  })

/** Sends requests and reads nothing. */
const unread = (count: number, requests: (victim: Victim) => string) => (victim: Victim) =>
  hold(victim, count, ({ socket }) => {
    socket.pause()
    socket.write(requests(victim))
  })

/** Sends a request on each of these connections, and again when the response has come. */
const again = (count: number, request: (victim: Victim, n: number) => string) => (victim: Victim) => {
  let n = 0
  const send = (connection: HttpConnection) =>
    generate({
      senders: 1,
      pauseMs: 5,
      send: () => connection.exchange(request(victim, n++)),
      took: () => {},
    })
  return hold(victim, count, connection => void send(connection).catch(() => {}))
}

const large = ({ large }: Victim, n = 0) => `/tokens/${large[n % large.length]}`

const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
const braces = '{{&'.repeat(330_000)
/** A megabyte with 60,000 members. */
const wide = {
  type: 'token',
  data: Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`m${n}`, n])),
  expires_at: inAnHour,
}

/** Each runs at the same time as all others. */
export const attacks: Readonly<Record<string, Attack>> = {
  'unread large tokens': unread(1_500, victim => head('GET', large(victim), victim.keys.private).repeat(20)),
  'unread long pages': unread(100, ({ keys }) => head('GET', '/tokens?size=100', keys.private).repeat(20)),
  'unread documentation of strangers': unread(2_500, () => head('GET', '/docs/openapi.json', '').repeat(20)),
  'slow bodies': victim =>
    hold(victim, 400, ({ socket }) => {
      const lines = ['Content-Type: application/json', 'Content-Length: 900000']
      socket.write(head('POST', '/tokens', victim.keys.public, ...lines))
      const timer = setInterval(() => void socket.write(' '), 1_000)
      socket.on('close', () => clearInterval(timer))
    }),
  'large bodies': again(30, ({ keys }) =>
    json('POST', '/tokens', keys.public, {
      type: 'token',
      data: 'x'.repeat(900_000),
      expires_at: '2000-01-01',
    }),
  ),
  'impatient callers': victim =>
    hold(victim, 50, ({ socket }) => {
      const body = { type: 'token', data: 'x'.repeat(900_000), expires_at: '2000-01-01' }
      socket.write(json('POST', '/tokens', victim.keys.public, body), () => socket.destroy())
    }),
  'idle connections': victim => hold(victim, 500, () => {}),
  'pipelined floods': victim =>
    hold(victim, 20, ({ socket }) => {
      socket.resume()
      socket.write(head('GET', '/tokens?size=20', victim.keys.private).repeat(5_000))
    }),
  'wide searches': again(100, ({ keys }) =>
    json('POST', '/tokens/search', keys.private, { query: 'type:card OR NOT metadata.a:b', size: 100 }),
  ),
  'lists with costly masks': again(16, ({ keys }) => head('GET', '/tokens?size=100', keys.masked)),
  'creates with costly masks': again(100, ({ keys, costlyMask: mask }) =>
    json('POST', '/tokens', keys.public, { type: 'token', data: 'x', mask, expires_at: inAnHour }),
  ),
  '400 creates with costly masks': again(400, ({ keys, costlyMask: mask }) =>
    json('POST', '/tokens', keys.public, { type: 'token', data: 'x', mask, expires_at: inAnHour }),
  ),
  'unfinished bodies': victim =>
    hold(victim, 260, ({ socket }) => {
      const lines = ['Content-Type: application/json', 'Content-Length: 1000000']
      socket.write(head('POST', '/tokens', victim.keys.public, ...lines) + ' '.repeat(990_000))
    }),
  'pipelined lists of a session': victim =>
    hold(victim, 70, ({ socket }) => {
      socket.resume()
      socket.write(head('GET', '/tokens?size=100', victim.keys.session).repeat(16))
      socket.setTimeout(3_000, () => socket.destroy())
    }),
  'wide creates': again(60, ({ keys }) => json('POST', '/tokens', keys.public, wide)),
  'forms of braces to the proxy': again(40, ({ keys, peers }) => {
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const lines = [`SVC-PROXY-URL: ${peers.plenty}/`, type, `Content-Length: ${braces.length}`]
    return head('POST', '/proxy', keys.private, ...lines) + braces
  }),
  'long responses to reactors of the proxy': again(40, ({ keys, peers, reactors }) => {
    const lines = [`SVC-PROXY-URL: ${peers.plenty}/`, `SVC-PROXY-RESPONSE-REACTOR: ${reactors.answeringId}`]
    return head('GET', '/proxy', keys.private, ...lines)
  }),
  'endless formulas': again(60, ({ keys, reactors }) =>
    json('POST', reactors.endless, keys.private, { args: {} }),
  ),
  'hostile callbacks': again(10, ({ keys, reactors, peers }, n) =>
    json('POST', reactors.answering, keys.private, {
      args: {},
      callback_url: `${peers.callbacks[n % peers.callbacks.length]}/`,
    }),
  ),
  'hostile targets of formulas': again(10, ({ keys, reactors, peers }, n) =>
    json('POST', reactors.fetching, keys.private, { args: { url: peers.targets[n % peers.targets.length] } }),
  ),
  'hostile targets of the proxy': again(60, ({ keys, peers }, n) =>
    head('GET', '/proxy', keys.private, `SVC-PROXY-URL: ${peers.targets[n % peers.targets.length]}/`),
  ),
  'malformed requests': victim =>
    hold(victim, 20, ({ socket }) => {
      socket.resume()
      socket.write('hello\r\n\r\n'.repeat(1_000))
    }),
}
