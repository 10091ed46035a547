import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { CoreRequest, CoreResponse } from '../transport/message.ts'

/**
 * Allows a page to load from, and send to, this server only, and no script in its markup or made from text. Nobody may
 * show it in a frame.
 */
export const policyOf = ({ style = "'self'", trustedTypes = "'none'" } = {}): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ].join('; ')

interface StaticFile {
  readonly type: string
  /** True if `read` returns the file compressed by gzip. */
  readonly isGzipped?: boolean
  read(): string | Uint8Array
}

export const html = 'text/html; charset=utf-8'
export const script = 'text/javascript; charset=utf-8'
export const style = 'text/css; charset=utf-8'

/** Reads a file as it is, or changed by `change`. */
export function fileAt(url: URL, type: string, change?: (text: string) => string): StaticFile {
  return { type, read: () => (change ? change(readFileSync(url, 'utf8')) : readFileSync(url)) }
}

/** Reads a file that is kept compressed, as it takes long to compress. */
export const gzippedAt = (url: URL, type: string): StaticFile => ({ ...fileAt(url, type), isGzipped: true })

/** Serves files of this package by path, with a strict policy. */
export class StaticFiles {
  readonly #files: ReadonlyMap<string, StaticFile>
  readonly #policy: string
  /** Files that were read before, by path. They never change, and reading one blocks other requests. */
  readonly #read = new Map<string, Uint8Array>()

  constructor(files: Readonly<Record<string, StaticFile>>, policy = policyOf()) {
    this.#files = new Map(Object.entries(files))
    this.#policy = policy
  }

  /** @param path without a slash at the end */
  respond(path: string, headers: CoreRequest['headers']): CoreResponse | undefined {
    const file = this.#files.get(path)
    if (!file) return undefined
    const { type, isGzipped } = file
    const isAccepted = /\bgzip\b/i.test(headers['accept-encoding'] ?? '')
    const isPlain = isGzipped && !isAccepted
    return {
      status: 200,
      headers: {
        'Content-Type': type,
        ...(isGzipped ? { Vary: 'Accept-Encoding', ...(isPlain ? {} : { 'Content-Encoding': 'gzip' }) } : {}),
        'Content-Security-Policy': this.#policy,
        'X-Content-Type-Options': 'nosniff',
        'X-Frame-Options': 'DENY',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-cache',
      },
      body: this.#once(isPlain ? `${path} plain` : path, () => {
        const bytes = Buffer.from(file.read() as string)
        return isPlain ? gunzipSync(bytes) : bytes
      }),
    }
  }

  #once(key: string, read: () => Uint8Array): Uint8Array {
    const body = this.#read.get(key) ?? read()
    this.#read.set(key, body)
    return body
  }
}
