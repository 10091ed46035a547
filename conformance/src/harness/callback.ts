import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { largestBody } from './transport.ts'

/** Deliveries that are kept for one URL. A server under test can send endless deliveries. */
const mostDeliveries = 1000

/** A received webhook. */
export interface Delivery {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Receives webhooks. Each case uses its own paths. */
export interface Inbox {
  /**
   * Opens a URL for deliveries.
   * @param answers statuses of the first responses; all others are 200
   */
  open(answers?: readonly number[]): { readonly url: string; readonly deliveries: readonly Delivery[] }
  close(): Promise<void>
}

/** @param host name or address of this machine for the target */
export async function openInbox(host: string): Promise<Inbox> {
  const boxes = new Map<string, { readonly deliveries: Delivery[]; readonly answers: number[] }>()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    let text = ''
    request.setEncoding('utf8')
    request.on('data', chunk => {
      text += chunk
      if (text.length > largestBody) request.destroy()
    })
    request.on('error', () => {})
    request.on('end', () => {
      const box = boxes.get(path)
      if (box && box.deliveries.length < mostDeliveries)
        box.deliveries.push({ path, headers: request.headers, text })
      response.writeHead(box ? (box.answers.shift() ?? 200) : 404).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    open(answers = []) {
      const path = `/${crypto.randomUUID()}`
      const box = { deliveries: [] as Delivery[], answers: [...answers] }
      boxes.set(path, box)
      return { url: `http://${host}:${port}${path}`, deliveries: box.deliveries }
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
