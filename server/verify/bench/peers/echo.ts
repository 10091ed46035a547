/** A server that reads a request and responds with 500 bytes: what HTTP costs with Node alone. Run by `run.ts`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = JSON.stringify({ echo: 'x'.repeat(480) })
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200, headers).end(body))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
