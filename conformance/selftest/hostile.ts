import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A server under test that does not want to be tested: listens on a free port until the test ends. */
export async function listen(
  t: Pick<Test, 'teardown'>,
  listener: RequestListener,
): Promise<{ readonly url: string; readonly server: Server; readonly open: () => number }> {
  let open = 0
  const server = createServer((request, response) => {
    open++
    response.on('close', () => open--)
    listener(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, server, open: () => open }
}

/** Responds to the probe of a run: a list of tokens. Returns false for all other requests. */
export const respondsToProbe: (...exchange: Parameters<RequestListener>) => boolean = (request, response) => {
  if (request.method !== 'GET' || request.url !== '/tokens') return false
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"pagination":{},"data":[]}')
  return true
}
