/**
 * The modules `http` and `https`. Their requests have the limits of `fetch`: origins, number, bytes and time are checked
 * by the host. Redirects are left to the caller, as in Node.
 */
import { absent } from './absent.child.ts'
import { IncomingMessage } from './http-message.child.ts'
import { ClientRequest } from './http-request.child.ts'
import { statusTexts } from './status-texts.child.ts'

// biome-ignore lint/suspicious/noExplicitAny: functions of formulas take anything
type Any = any
declare const require: (name: string) => Any
const EventEmitter = require('node:events')

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

function moduleOf(protocol: 'http:' | 'https:') {
  // A function of ES5: packages call it without `new`, and inherit from it in both ways.
  function Agent(this: Any, options: Any = {}): Any {
    if (!(this instanceof (Agent as Any))) return new (Agent as Any)(options)
    EventEmitter.call(this)
    this.options = { ...options }
    this.protocol = protocol
    this.defaultPort = protocol === 'http:' ? 80 : 443
    this.maxSockets = options?.maxSockets ?? Number.POSITIVE_INFINITY
    this.maxFreeSockets = options?.maxFreeSockets ?? 256
    this.keepAlive = options?.keepAlive ?? false
    this.sockets = {}
    this.freeSockets = {}
    this.requests = {}
  }
  Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype)
  Agent.prototype.destroy = () => {}
  Agent.prototype.getName = ({ host = 'localhost', port = '' }: Any = {}) => `${host}:${port}:`

  class Request extends ClientRequest {
    constructor(...given: unknown[]) {
      super(protocol, given)
    }
  }
  Object.defineProperty(Request, 'name', { value: 'ClientRequest' })
  const request = (...given: unknown[]) => new Request(...given)
  const get = (...given: unknown[]) => {
    const made = request(...given)
    made.end()
    return made
  }
  return {
    ...absent('http', 'sockets'),
    Agent,
    ClientRequest: Request,
    IncomingMessage,
    METHODS: methods,
    OutgoingMessage: ClientRequest,
    STATUS_CODES: statusTexts,
    get,
    globalAgent: new (Agent as Any)(),
    maxHeaderSize: 16_384,
    request,
  }
}

export const http = moduleOf('http:')
export const https = moduleOf('https:')
