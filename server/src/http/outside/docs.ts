import { readFileSync } from 'node:fs'
import { generatedFiles } from '../../generated-files.ts'
import type { CoreResponse } from '../message.ts'

/** Allows the page to load from, and send to, this server only. */
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

const folder = new URL('docs/', generatedFiles)

/** Serves the contract as a page, from files of this package only: it works without a network. */
export class Docs {
  readonly #files: ReadonlyMap<string, { readonly type: string; read(): Uint8Array }>
  /** Files that were read before, by path. They never change, and reading one blocks other requests. */
  readonly #read = new Map<string, Uint8Array>()

  /** @param readDocument returns the contract as JSON; called at the first request for it */
  constructor(readDocument: () => string) {
    const file = (name: string, type: string) => ({ type, read: () => readFileSync(new URL(name, folder)) })
    this.#files = new Map([
      ['/docs', file('index.html', 'text/html; charset=utf-8')],
      ['/docs/docs.js', file('docs.js', 'text/javascript; charset=utf-8')],
      ['/docs/docs.css', file('docs.css', 'text/css; charset=utf-8')],
      ['/docs/openapi.json', { type: 'application/json', read: () => Buffer.from(readDocument()) }],
    ])
  }

  /** @param path without a slash at the end */
  respond(path: string): CoreResponse | undefined {
    const file = this.#files.get(path)
    if (!file) return undefined
    const body = this.#read.get(path) ?? file.read()
    this.#read.set(path, body)
    return {
      status: 200,
      headers: {
        'Content-Type': file.type,
        'Content-Security-Policy': contentSecurityPolicy,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-cache',
      },
      body,
    }
  }
}
