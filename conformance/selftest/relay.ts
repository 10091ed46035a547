import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { intercept, type Mutant, react, requestFrom } from './mutate.ts'

type Headers = Record<string, string>

/** Has webhooks delivered through a relay, which can change them or deliver them several times. */
export function relayWebhooks(
  change: (headers: Headers) => { readonly headers: Headers; readonly times: number },
): Mutant['change'] {
  const urls = new Map<string, string>()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', async () => {
      const given = Object.entries(request.headers).filter(([name]) =>
        /^(webhook-|content-type|svc-)/.test(name),
      )
      const { headers, times } = change(Object.fromEntries(given) as Headers)
      let status = 502
      for (let n = 0; n < times; n++) {
        const to = urls.get(request.url ?? '') ?? ''
        // The case that waited for it may have ended.
        const passed = await fetch(to, { method: 'POST', headers, body: text }).catch(() => undefined)
        await passed?.arrayBuffer()
        status = passed?.status ?? 502
      }
      response.writeHead(status).end()
    })
  })
  let listening: Promise<number> | undefined
  const port = () => {
    listening ??= new Promise(resolve =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    )
    // Mutants are never closed, so the relay must not keep the process alive.
    server.unref()
    return listening
  }
  return intercept('POST', react, async (received, next) => {
    const { callback_url } = received.body ?? {}
    if (typeof callback_url !== 'string') return next(requestFrom(received))
    const path = `/${crypto.randomUUID()}`
    urls.set(path, callback_url)
    return next(
      requestFrom(received, {
        body: { ...received.body, callback_url: `http://127.0.0.1:${await port()}${path}` },
      }),
    )
  })
}
