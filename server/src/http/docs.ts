import { readFileSync } from 'node:fs'
import { generatedFiles } from '../generated-files.ts'
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

const folder = new URL('docs/', generatedFiles)

/** The contract as a page to read, from files of ours alone: it works without a network. */
export class Docs {
  readonly #files: ReadonlyMap<string, { readonly type: string; make(): Uint8Array }>
  /** What was asked for before, by path: making it takes time that others wait, and it never changes. */
  readonly #made = new Map<string, Uint8Array>()

  /** @param readDocument the contract as JSON, read when somebody asks for it */
  constructor(readDocument: () => string) {
    const file = (name: string, type: string) => ({ type, make: () => readFileSync(new URL(name, folder)) })
    this.#files = new Map([
      ['/docs', file('index.html', 'text/html; charset=utf-8')],
      ['/docs/docs.js', file('docs.js', 'text/javascript; charset=utf-8')],
      ['/docs/docs.css', file('docs.css', 'text/css; charset=utf-8')],
      ['/docs/openapi.json', { type: 'application/json', make: () => Buffer.from(readDocument()) }],
    ])
  }

  /** @param path without a slash at the end */
  answer(path: string): CoreResponse | undefined {
    const file = this.#files.get(path)
    if (!file) return undefined
    const body = this.#made.get(path) ?? file.make()
    this.#made.set(path, body)
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
