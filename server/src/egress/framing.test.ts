import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { createCallbackSender } from './callback-sender.ts'
import { createFormulaEgress } from './formula-egress.ts'
import { createProxyEgress } from './proxy-egress.ts'

interface ReadRequest {
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Reads requests one after another, by their framing alone, as a target does on a connection that stays open. */
function readInTurn(text: string): ReadRequest[] {
  const requests: ReadRequest[] = []
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`this is not a request: ${rest}`)
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(fields.map(field => field.toLowerCase().split(': ')))
    const length = Number(headers['content-length'] ?? 0)
    requests.push({ line, headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return requests
}

/** Opens a server that keeps all bytes of each connection, and answers when no more come. */
async function openReader(t: { teardown(task: () => unknown): void }) {
  const texts: string[] = []
  const server = createServer(socket => {
    const at = texts.push('') - 1
    let timer: NodeJS.Timeout | undefined
    socket
      .on('error', () => {})
      .on('data', data => {
        texts[at] += data.toString('latin1')
        // Nothing but silence shows that a request is over whose framing is not trusted.
        clearTimeout(timer)
        timer = setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 30)
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns what came over the connections since. */
    take: () => texts.splice(0).map(readInTurn),
  }
}

const hidden = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
const headers = {
  'Content-Type': 'text/plain',
  'Content-Length': '3',
  'Transfer-Encoding': 'chunked',
  Connection: 'keep-alive',
}
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const by = { tenant: 't' }
const { signal } = new AbortController()

type Send = (method: string, body: Uint8Array | undefined) => Promise<unknown>
const users: Readonly<Record<string, { methods: readonly string[]; sender(origin: string): Send }>> = {
  callbacks: {
    methods: ['POST'],
    sender: origin => {
      const send = createCallbackSender({ allowPrivate: true })
      return (_, body = Buffer.alloc(0)) =>
        send({ ...by, url: `${origin}/a`, reactor: 'r', traceId: 'x', headers, body, signal })
    },
  },
  formulas: {
    methods,
    sender: origin => {
      const fetch = createFormulaEgress({ origins: [origin] })
      return (method, body) =>
        fetch({ url: `${origin}/a`, method, headers, by, signal, ...(body && { body }) })
    },
  },
  proxy: {
    methods,
    sender: origin => {
      const egress = createProxyEgress({ origins: [origin], headerPrefix: 'svc' })
      return async (method, body) => {
        const exchange = egress.begin({ by, timeoutMs: 5000 })
        await exchange.send({ url: new URL(`${origin}/a`), method, headers, body })
        exchange.end()
      }
    },
  },
}

for (const [name, user] of Object.entries(users)) {
  t.test(`${name}: every body has a length, and nothing of it can be read as a request`, async t => {
    const reader = await openReader(t)
    const send = user.sender(reader.origin)
    for (const method of user.methods) {
      await send(method, Buffer.from(hidden))
      const [requests = []] = reader.take()
      t.equal(requests.length, 1, `${method}: one request`)
      const [{ line, headers: sent, body } = { line: '', headers: {}, body: '' }] = requests
      t.same([line, body], [`${method} /a HTTP/1.1`, hidden], `${method}: with its whole body`)
      t.equal(sent.connection, 'close')
      t.notOk(sent['transfer-encoding'])

      await send(method, undefined)
      const [[bare, ...others] = []] = reader.take()
      t.same([bare?.line, bare?.body, others], [`${method} /a HTTP/1.1`, '', []], `${method} without a body`)
      const length = ['POST', 'PUT', 'PATCH'].includes(method) ? '0' : undefined
      t.equal(bare?.headers['content-length'], length)
      t.notOk(bare?.headers['transfer-encoding'], `${method}: no chunks`)
    }
  })
}
