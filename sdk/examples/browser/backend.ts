// biome-ignore-all lint/suspicious/noConsole: an example shows what it does.
/**
 * The shop's backend: serves the checkout page and grants permissions to it. It holds the private key and never sees a
 * card. README.md explains how to start it.
 */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Surrogate, SurrogateError } from '@surrogate/sdk'

const { SURROGATE_URL, SURROGATE_PUBLIC_KEY, SURROGATE_PRIVATE_KEY, PORT = '8080' } = process.env
if (!SURROGATE_URL || !SURROGATE_PUBLIC_KEY || !SURROGATE_PRIVATE_KEY) {
  throw new Error('set SURROGATE_URL, SURROGATE_PUBLIC_KEY and SURROGATE_PRIVATE_KEY')
}

const surrogate = new Surrogate({ apiKey: SURROGATE_PRIVATE_KEY, baseUrl: SURROGATE_URL })

/** Allows the page with this nonce to create and read one card token only. Returns the id it has to have. */
async function authorize(nonce: string): Promise<string> {
  const tokenId = crypto.randomUUID()
  await surrogate.sessions.authorize({
    nonce,
    rules: [
      {
        description: 'The card of this checkout',
        priority: 1,
        conditions: [
          { attribute: 'id', operator: 'equals', value: tokenId },
          { attribute: 'container', operator: 'equals', value: '/pci/high/' },
        ],
        transform: 'reveal',
        permissions: ['token:create', 'token:read'],
      },
    ],
  })
  return tokenId
}

const page = new URL('page/', import.meta.url)
const sdk = new URL('./', import.meta.resolve('@surrogate/sdk'))
const types: Record<string, string> = { html: 'text/html', css: 'text/css', js: 'text/javascript' }

const securityHeaders = {
  'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${new URL(SURROGATE_URL).origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** Returns the file for a path: of the page, or of the SDK. */
function fileFor(path: string): URL | undefined {
  if (path === '/') return new URL('index.html', page)
  if (['/checkout.js', '/checkout.css'].includes(path)) return new URL(path.slice(1), page)
  const [, name] = /^\/sdk\/((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.js)$/.exec(path) ?? []
  return name === undefined ? undefined : new URL(name, sdk)
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://shop').pathname
  const sendJson = (status: number, body: object) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  if (request.method === 'POST' && path === '/checkout') {
    // Prevents requests by pages of other origins: browsers ask for permission before they send JSON.
    if (request.headers['content-type'] !== 'application/json') return void sendJson(415, {})
    return void sendJson(200, { token_id: await authorize(await readNonce(request)) })
  }
  if (request.method !== 'GET') return void sendJson(405, {})
  if (path === '/settings.json') {
    return void sendJson(200, { baseUrl: SURROGATE_URL, publicKey: SURROGATE_PUBLIC_KEY })
  }
  const file = fileFor(path)
  const content = file && (await readFile(file).catch(() => undefined))
  if (!file || !content) return void sendJson(404, {})
  const type = types[file.pathname.split('.').at(-1) ?? '']
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8`, ...securityHeaders }).end(content)
}

async function readNonce(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > 1000) break
  }
  const { nonce } = JSON.parse(text)
  return String(nonce)
}

const server = createServer((request, response) => {
  respond(request, response).catch(error => {
    console.error(error instanceof SurrogateError ? `${error.status} ${error.message}` : 'a request failed')
    response.writeHead(400).end()
  })
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  console.log(`open http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`)
})
