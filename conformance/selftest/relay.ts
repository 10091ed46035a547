import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { about, type Lie, react, say } from './tell.ts'

type Headers = Record<string, string>

/** Has webhooks delivered by way of a relay, which may pass them on in another form, or more than once. */
export function relays(
  change: (headers: Headers) => { readonly headers: Headers; readonly times: number },
): Lie['tell'] {
  const behind = new Map<string, string>()
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
        const to = behind.get(request.url ?? '') ?? ''
        // Whoever waited for it may be gone by now.
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
    // It must not keep the process alive; who lies has no end of its own.
    server.unref()
    return listening
  }
  return about('POST', react, async (heard, next) => {
    const { callback_url } = heard.body ?? {}
    if (typeof callback_url !== 'string') return next(say(heard))
    const path = `/${crypto.randomUUID()}`
    behind.set(path, callback_url)
    return next(
      say(heard, { body: { ...heard.body, callback_url: `http://127.0.0.1:${await port()}${path}` } }),
    )
  })
}
