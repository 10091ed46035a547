/**
 * Defects that the server once had, put back by replacing methods and limits of its modules. TypeScript and `replace`
 * refuse a name that is gone.
 */
import http, { type ClientRequest, type RequestOptions } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { admissionBounds } from '../../src/base/limits.ts'
import { Exchange } from '../../src/egress/exchange.ts'
import { Connections } from '../../src/http/transport/connections.ts'
import { RequestProxy } from '../../src/proxy/proxy.ts'
import { OpenedRecord } from '../../src/storage/records/tenant-keys.ts'
import { TenantStore } from '../../src/storage/records/tenant-store.ts'
import type { TokenRecord } from '../../src/tokens/token.ts'

// biome-ignore lint/suspicious/noExplicitAny: a method of any type
type Method = (this: any, ...given: any[]) => any

/** Replaces a method by one that gets the original. */
function replace<T, N extends keyof T & string>(
  prototype: T,
  name: N,
  make: (original: Method) => Method,
): void {
  const original = prototype[name]
  if (typeof original !== 'function') throw new Error(`the method ${name} is gone`)
  Object.defineProperty(prototype, name, {
    value: make(original as Method),
    configurable: true,
    writable: true,
  })
}

/** Adds to what `http.request` does. @param change gets the options before, and the request after */
function onRequest(change: (options: RequestOptions, isMade?: ClientRequest) => void): void {
  const { request } = http
  http.request = ((options: RequestOptions) => {
    change(options)
    const made = request(options)
    change(options, made)
    return made
  }) as typeof request
  syncBuiltinESMExports()
}

/** Replaces limits. Those that are not named are gone. */
function limit(limits: object, by: Readonly<Record<string, number>>): void {
  for (const name of Object.keys(limits)) delete (limits as Record<string, number>)[name]
  Object.assign(limits, by)
}

export const defects: Readonly<Record<string, () => void>> = {
  'no end after a 101': () => {
    const stuck = new WeakSet<object>()
    let current: object | undefined
    replace(
      Exchange.prototype,
      'send',
      send =>
        function (outgoing) {
          current = this
          return send.call(this, outgoing)
        },
    )
    replace(
      Exchange.prototype,
      'end',
      end =>
        function (reason) {
          if (!stuck.has(this)) end.call(this, reason)
        },
    )
    onRequest((_, made) => {
      const exchange = current
      if (!made || !exchange) return
      made.on('upgrade', () => stuck.add(exchange))
      made.on('information', ({ statusCode }) => statusCode === 101 && stuck.add(exchange))
    })
  },
  'no budget for responses': () => limit(admissionBounds.responseBytes, {}),
  'no turns on a connection': () =>
    replace(
      Connections.prototype,
      'begin',
      begin =>
        function (socket, request, response, serve) {
          begin.call(this, socket, request, response, () => {})
          serve('127.0.0.1')
        },
    ),
  'duplicates by fingerprint alone': () => {
    let wanted = ''
    replace(
      TenantStore.prototype,
      'shownDigest',
      original =>
        function (purpose, text) {
          if (purpose === 'deduplication') wanted = text
          return original.call(this, purpose, text)
        },
    )
    replace(
      TenantStore.prototype,
      'find',
      find =>
        async function (kind, query, options) {
          const found = await find.call(this, kind, query, options)
          const [fingerprint = '', expression = ''] = wanted.split(/ (.*)/s)
          if (kind !== 'token' || options.limit !== 1 || !options.oldestFirst || found.records.length > 0)
            return found
          const all = await find.call(this, kind, { op: 'all' }, { ...options, limit: 1_000 })
          const record = all.records.find(
            ({ value }: { value: TokenRecord }) => value.fingerprint === fingerprint,
          )
          if (!record) return found
          const value = { ...record.value, fingerprint_expression: expression }
          return { ...found, records: [new OpenedRecord(value, record)] }
        },
    )
  },
  'no frames for bodies of GET and DELETE': () =>
    onRequest(({ method = '', headers }) => {
      if (method === 'GET' || method === 'DELETE')
        delete (headers as Record<string, string>)['content-length']
    }),
  'no shares of connections': () => {
    limit(admissionBounds.connections, { total: 1_000 })
    replace(
      Connections.prototype,
      'add',
      add =>
        function (socket) {
          if (this.count < 1_000) add.call(this, socket)
          else socket.destroy()
        },
    )
  },
  'no shares of jobs': () => limit(admissionBounds.jobs, { tenant: 120, application: 120, session: 120 }),
  'cacheable responses': () => {
    const { writeHead } = http.ServerResponse.prototype
    http.ServerResponse.prototype.writeHead = function (
      this: http.ServerResponse,
      status: number,
      headers: Record<string, string>,
    ) {
      const { 'Cache-Control': _, Vary: __, ...others } = headers
      return writeHead.call(this, status, others as never)
    } as typeof writeHead
  },
  'headers of targets': () => {
    let passed: object = {}
    replace(
      Exchange.prototype,
      'send',
      send =>
        async function (outgoing) {
          const incoming = await send.call(this, outgoing)
          const { 'x-accel-redirect': internal, 'set-cookie': cookies } = incoming.headers
          passed = internal ? { 'x-accel-redirect': internal, 'set-cookie': `${cookies}` } : {}
          return incoming
        },
    )
    replace(
      RequestProxy.prototype,
      'forward',
      forward =>
        async function (request) {
          const proxied = await forward.call(this, request)
          return { ...proxied, headers: { ...proxied.headers, ...passed } }
        },
    )
  },
  // Somebody has put all tokens into the index of a container. Not a defect: lists look at the records, too.
  'altered index': () =>
    replace(
      TenantStore.prototype,
      'findPage',
      findPage =>
        function (kind, query, options) {
          return findPage.call(this, kind, kind === 'token' ? { op: 'all' } : query, options)
        },
    ),
  // What the index says is taken for what the record says.
  'lists that trust the index': () =>
    replace(
      TenantStore.prototype,
      'findPage',
      findPage =>
        async function (kind, query, options) {
          const found = await findPage.call(this, kind, query, options)
          if (kind !== 'token') return found
          const indexed = (one: OpenedRecord<TokenRecord>) =>
            new OpenedRecord({ ...one.value, containers: ['/restricted/'] }, one)
          if (Array.isArray(found.records)) return { ...found, records: found.records.map(indexed) }
          const later = async function* (): AsyncGenerator<OpenedRecord<TokenRecord>> {
            for await (const one of found.records) yield indexed(one)
          }
          return { ...found, records: later() }
        },
    ),
}
