import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

/** A proxy that sends each request to the next of several replicas. */
export interface RoundRobin {
  readonly url: string
  /** The number of requests sent to each replica. */
  readonly counts: readonly number[]
}

/** Requests that each replica must get, as they change only its own process. */
const toAll = /^\/_dev\/(clock|reset)$/

/** @param replicas URLs such as `http://127.0.0.1:4000` */
export async function openRoundRobin(
  t: { teardown(task: () => unknown): void },
  replicas: readonly string[],
): Promise<RoundRobin> {
  const counts = replicas.map(() => 0)
  let next = 0

  const send = (which: number, asked: IncomingMessage) => {
    counts[which] = (counts[which] ?? 0) + 1
    const { method, headers } = asked
    // A new connection each: a kept one may be closed at the moment it is used again.
    return request(new URL(asked.url ?? '/', replicas[which]), {
      agent: false,
      method,
      headers: { ...headers, connection: 'close' },
    })
  }
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    const passed = send(next++ % replicas.length, asked)
    passed.on('response', response => {
      answer.writeHead(response.statusCode ?? 502, ownHeaders(response))
      pipeline(response, answer, () => {
        // A replica that refuses a body closes the connection early. The rest of the body must be drained before the
        // caller's next request.
        asked.unpipe(passed)
        asked.resume()
      })
    })
    passed.on('error', () => {
      // A replica may close the connection after its response without reading the whole request.
      if (!answer.headersSent) answer.writeHead(502).end()
    })
    asked.pipe(passed)
  }
  const passToAll = async (asked: IncomingMessage, answer: ServerResponse) => {
    const body: Buffer[] = await asked.toArray()
    const replies = replicas.map(async (_, which) => {
      const passed = send(which, asked)
      passed.end(Buffer.concat(body))
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        passed.on('response', resolve).on('error', reject)
      })
      return { response, body: Buffer.concat(await response.toArray()) }
    })
    const [first] = await Promise.all(replies)
    if (!first) throw new Error('there are no replicas')
    answer.writeHead(first.response.statusCode ?? 502, ownHeaders(first.response)).end(first.body)
  }
  const server = createServer((asked, answer) => {
    if (toAll.test(asked.url ?? '')) passToAll(asked, answer).catch(() => answer.writeHead(502).end())
    else pass(asked, answer)
  })
  server.keepAliveTimeout = 0
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts }
}

/** The headers without those of the connection to the replica. */
function ownHeaders({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, at) => !/^(connection|keep-alive)$/i.test(rawHeaders[at - (at % 2)] ?? ''))
}
