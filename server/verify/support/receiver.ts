import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Receiver {
  readonly port: number
  /** `http://127.0.0.1:port` */
  readonly origin: string
  readonly received: Received[]
  /** Returns the bodies of all requests, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects
  bodies(): any[]
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<void>
}

/** The response: a status, or a function that sends it. */
export type Answering = (
  request: Received,
  response: ServerResponse,
  count: number,
) => number | undefined | Promise<number | undefined>

/** Opens an HTTP server on a free port that records requests. It is closed when the test ends. */
export async function openReceiver(
  t: { teardown(task: () => unknown): void },
  answer: Answering = () => 200,
): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const one = { method, path: url, headers: headers as Record<string, string>, body: Buffer.concat(chunks) }
    received.push(one)
    for (const look of waiting) look()
    const status = await answer(one, response, received.length)
    if (status !== undefined) response.writeHead(status).end()
  }
  // A sender may close the connection at any time.
  const server = createServer((request, response) => void take(request, response).catch(() => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    received,
    bodies: () => received.map(({ body }) => JSON.parse(body.toString())),
    arrived: count =>
      new Promise(resolve => {
        const look = () => {
          if (received.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}
