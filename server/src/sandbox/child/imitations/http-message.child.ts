/** What requests of `http` and `https` have in place of sockets, and the responses that they get. */
// biome-ignore lint/suspicious/noExplicitAny: functions of formulas take anything
type Any = any
declare const require: (name: string) => Any
const { Readable } = require('node:stream')
const { EventEmitter } = require('node:events')

/** Names that packages ask for. Every certificate is checked by the host. */
export function socketOf(isEncrypted: boolean): Any {
  const socket = new EventEmitter()
  const same = () => socket
  return Object.assign(socket, {
    connecting: false,
    encrypted: isEncrypted,
    authorized: isEncrypted,
    destroyed: false,
    writable: true,
    remoteAddress: undefined,
    getPeerCertificate: () => ({}),
    isSessionReused: () => true,
    setTimeout: same,
    setNoDelay: same,
    setKeepAlive: same,
    ref: same,
    unref: same,
    end: same,
    destroy: same,
  })
}

/** A response, whose body is there in one piece. */
export class IncomingMessage extends Readable {
  httpVersion = '1.1'
  httpVersionMajor = 1
  httpVersionMinor = 1
  complete = false
  aborted = false
  url = ''
  trailers = {}
  rawTrailers: string[] = []
  headers: Record<string, string | string[]> = {}
  rawHeaders: string[] = []
  declare statusCode: number
  declare statusMessage: string
  declare socket: Any

  constructor() {
    super({ read() {} })
  }

  get connection(): Any {
    return this.socket
  }

  setTimeout(): this {
    return this
  }

  /** Takes what the host received. Values of one name were joined there. */
  receive(headers: Iterable<readonly [string, string]>, bytes: Buffer): void {
    for (const [name, value] of headers) {
      this.rawHeaders.push(name, value)
      this.headers[name] = name === 'set-cookie' ? [value] : value
    }
    if (bytes.length > 0) this.push(bytes)
    this.complete = true
    this.push(null)
  }
}
