import { readFileSync } from 'node:fs'
import type { CoreResponse } from '../transport/message.ts'

/**
 * Allows a page to load from, and send to, this server only, and no script in its markup or made from text. Nobody may
 * show it in a frame.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

interface StaticFile {
  readonly type: string
  read(): string | Uint8Array
}

export const html = 'text/html; charset=utf-8'
export const script = 'text/javascript; charset=utf-8'
export const style = 'text/css; charset=utf-8'

/** Reads a file as it is, or changed by `change`. */
export function fileAt(url: URL, type: string, change?: (text: string) => string): StaticFile {
  return { type, read: () => (change ? change(readFileSync(url, 'utf8')) : readFileSync(url)) }
}

/** Serves files of this package by path, with a strict policy. */
export class StaticFiles {
  readonly #files: ReadonlyMap<string, StaticFile>
  /** Files that were read before, by path. They never change, and reading one blocks other requests. */
  readonly #read = new Map<string, Uint8Array>()

  constructor(files: Readonly<Record<string, StaticFile>>) {
    this.#files = new Map(Object.entries(files))
  }

  /** @param path without a slash at the end */
  respond(path: string): CoreResponse | undefined {
    const file = this.#files.get(path)
    if (!file) return undefined
    const body = this.#read.get(path) ?? Buffer.from(file.read() as string)
    this.#read.set(path, body)
    return {
      status: 200,
      headers: {
        'Content-Type': file.type,
        'Content-Security-Policy': contentSecurityPolicy,
        'X-Content-Type-Options': 'nosniff',
        'X-Frame-Options': 'DENY',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-cache',
      },
      body,
    }
  }
}
