import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import tap from 'tap'
import { overHttp } from './transport.ts'

tap.test('requests go out as they are, over a connection that is kept', async t => {
  const seen: [string | undefined, string | undefined, IncomingHttpHeaders, string][] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    seen.push([request.method, request.url, request.headers, text])
    response.writeHead(418, { 'Set-Cookie': ['a=1', 'b=2'], 'X-Own': 'é' }).end('ünï')
  }).on('connection', () => connections++)
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=%20c`
  const send = overHttp()
  for (const method of ['GET', 'POST', 'DELETE'])
    for (const body of method === 'GET' ? [undefined] : [undefined, 'é', new Uint8Array([0x31, 0x32])]) {
      const { status, headers, body: received } = await send({ method, url, headers: { 'x-own': 'é' }, body })
      t.same([status, headers.get('set-cookie'), headers.get('x-own')], [418, 'a=1, b=2', 'é'])
      t.equal(new TextDecoder().decode(received), 'ünï')
      const text = body === undefined ? '' : typeof body === 'string' ? body : '12'
      t.match(seen.at(-1), [method, '/a?b=%20c', { 'x-own': 'é' }, text])
    }
  t.equal(connections, 1)
  const closing = { method: 'POST', url, headers: { connection: 'close' }, body: '1' }
  t.equal((await send(closing)).status, 418)
  t.equal(connections, 2, 'a request that closes its connection has one of its own')
  t.equal((await send({ method: 'GET', url, headers: {} })).status, 418)
  t.equal(connections, 2, 'the kept one is still used')
})

tap.test('a response that breaks off is an error', async t => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('{"half":')
    response.socket?.end()
  })
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await t.rejects(overHttp()({ method: 'GET', url, headers: {} }))
})
