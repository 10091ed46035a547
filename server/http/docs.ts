import { readFileSync } from 'node:fs'
import type { CoreResponse } from './message.ts'

/** Nothing a page of ours shows may come from, or tell, any other host. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const folder = new URL('../generated/docs/', import.meta.url)

/** The contract as a page to read, from files of ours alone: it works without a network. */
export class Docs {
  readonly #readDocument: () => string
  #document: Uint8Array | undefined

  /** @param readDocument the contract as JSON, read when somebody asks for it */
  constructor(readDocument: () => string) {
    this.#readDocument = readDocument
  }

  answer(path: string): CoreResponse | undefined {
    switch (path) {
      case '/docs':
      case '/docs/':
        return file('index.html', 'text/html; charset=utf-8')
      case '/docs/docs.js':
        return file('docs.js', 'text/javascript; charset=utf-8')
      case '/docs/docs.css':
        return file('docs.css', 'text/css; charset=utf-8')
      case '/docs/openapi.json':
        this.#document ??= Buffer.from(this.#readDocument())
        return answer('application/json', this.#document)
      default:
        return undefined
    }
  }
}

function file(name: string, type: string): CoreResponse {
  return answer(type, readFileSync(new URL(name, folder)))
}

function answer(type: string, body: string | Uint8Array): CoreResponse {
  return {
    status: 200,
    headers: {
      'Content-Type': type,
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    },
    body,
  }
}
