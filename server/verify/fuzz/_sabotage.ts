/**
 * Preloaded into a server's process: adds faults that the fuzz must find, each in requests of one operation.
 * `SABOTAGE` lists the faults.
 */
import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import { defects } from './_defects.ts'
import { slowness } from './slowness.ts'

const chosen = new Set((process.env.SABOTAGE ?? '').split(','))
const kept: Buffer[] = []
for (const [name, putBack] of Object.entries(defects)) if (chosen.has(name)) putBack()

type Fault = (request: IncomingMessage, response: ServerResponse) => boolean

/** Each returns true if it has sent the response. */
const faults: Readonly<Record<string, { readonly at: RegExp; readonly act: Fault }>> = {
  'server error': {
    at: /^PATCH \/tokens\//,
    act: (_, response) => {
      const problem = {
        type: 'urn:surrogate:error:internal',
        title: '',
        status: 500,
        detail: '',
        instance: '',
      }
      return answer(response, 500, 'application/problem+json', JSON.stringify(problem))
    },
  },
  'undocumented status': {
    at: /^GET \/applications\/key$/,
    act: (_, response) => answer(response, 206, 'application/json', '{}'),
  },
  'malformed response': {
    at: /^POST \/tokens\/search/,
    act: (_, response) => answer(response, 200, 'application/json', '{"id":'),
  },
  'malformed problem': {
    at: /^DELETE \/reactors\//,
    act: (_, response) => answer(response, 404, 'text/plain', 'not found'),
  },
  'sensitive value in a problem': {
    at: /^POST \/tokens$/,
    act: (request, response) => {
      const body = bodyOf(request)
      const { end, writeHead } = response
      response.writeHead = ((status: number, headers: Record<string, string>) => {
        if (status !== 400) return writeHead.call(response, status, headers)
        response.end = (() => {
          const problem = {
            type: 'urn:surrogate:error:validation',
            title: '',
            status,
            detail: body().toString(),
            instance: '',
          }
          const text = JSON.stringify(problem)
          writeHead.call(response, status, { ...headers, 'Content-Length': String(Buffer.byteLength(text)) })
          return end.call(response, text, 'utf8')
        }) as typeof response.end
        return response
      }) as typeof response.writeHead
      return false
    },
  },
  'sensitive value in the log': {
    at: /^POST \/tokenize$/,
    act: request => {
      const body = bodyOf(request)
      request.once('end', () => process.stderr.write(`${body()}\n`))
      return false
    },
  },
  'no response': {
    at: /^POST \/detokenize$/,
    act: request => {
      request.socket.destroy()
      return true
    },
  },
  stall: {
    at: /^GET \/tokens\?size=/,
    act: () => {
      // Longer on a slow machine. Takes no processor time from other tests: nobody else is served all the same.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200 * slowness())
      return false
    },
  },
  memory: {
    at: /^POST /,
    act: () => {
      kept.push(Buffer.alloc(2 ** 20, 1))
      return false
    },
  },
  'server ended': { at: /^PUT \/applications\//, act: () => process.exit(3) },
}

/** Collects the body while the server reads it. */
function bodyOf(request: IncomingMessage): () => Buffer {
  const chunks: Buffer[] = []
  const { emit } = request
  request.emit = ((name: string, ...given: unknown[]) => {
    if (name === 'data') chunks.push(given[0] as Buffer)
    return emit.call(request, name, ...given)
  }) as typeof request.emit
  return () => Buffer.concat(chunks)
}

function answer(response: ServerResponse, status: number, type: string, body: string): true {
  response.writeHead(status, {
    'Content-Type': type,
    'SVC-TRACE-ID': 'sabotage',
    'Cache-Control': 'no-store',
    Vary: 'SVC-API-KEY',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
  return true
}

const { emit } = Server.prototype
Server.prototype.emit = function (this: Server, name: string, ...given: unknown[]): boolean {
  if (name === 'request') {
    const [request, response] = given as [IncomingMessage, ServerResponse]
    const line = `${request.method} ${request.url}`
    const hits = Object.entries(faults).filter(([fault, { at }]) => chosen.has(fault) && at.test(line))
    if (hits.some(([, { act }]) => act(request, response))) return true
  }
  return Reflect.apply(emit, this, [name, ...given])
} as typeof emit
