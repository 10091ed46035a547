import * as http from 'node:http'
import * as https from 'node:https'

/** Sends a request to a server in the same process, or in a way of the caller's own. */
export type Fetch = (request: Request) => Promise<Response>

/** A request. Names of headers are in lower case. */
export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
}

/** A response with its whole body. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

const utf8 = new TextDecoder()

/** Returns the body of a response as text and, if it is JSON, parsed. */
export function contentOf({ body }: HttpResponse): { readonly text: string; readonly json: unknown } {
  const text = utf8.decode(body)
  try {
    return { text, json: JSON.parse(text) }
  } catch {
    return { text, json: undefined }
  }
}

/**
 * Sends a request, and follows no redirect.
 * @throws {TooLarge} if the body is larger than `largestBody`
 */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpResponse>

/** Largest response body that is read, in bytes. A server under test can send endless bodies. */
export const largestBody = 8 * 1024 * 1024

/** A response body was larger than `largestBody`. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

/** Keeps connections for further requests, for a shorter time than servers usually do. */
const kept = { keepAlive: true, timeout: 4000 }

/** Returns a transport by Node's own client for HTTP, which takes half the processor time of `fetch`. */
export function overHttp(): Transport {
  const plain = new http.Agent(kept)
  const secure = new https.Agent(kept)
  return ({ method, url, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const isSecure = url.startsWith('https:')
      // As bytes: with a text, Node writes the headers in its encoding.
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      const request = (isSecure ? https : http).request(url, {
        method,
        // Such a request gets a connection of its own, which is closed after it.
        agent: headers.connection === 'close' ? false : isSecure ? secure : plain,
        headers: {
          accept: '*/*',
          'user-agent': 'surrogate-conformance',
          // Node leaves it out for a DELETE.
          ...(bytes && { 'content-length': bytes.byteLength }),
          ...headers,
        },
        ...(signal && { signal }),
      })
      request.on('error', reject)
      request.on('response', response => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          chunks.push(chunk)
          if (size <= largestBody) return
          reject(new TooLarge())
          request.destroy()
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0, rawHeaders } = response
          resolve({
            status: statusCode,
            headers: headersOf(rawHeaders),
            body: new Uint8Array(Buffer.concat(chunks)),
          })
        })
      })
      request.end(bytes)
    })
}

/** Returns a transport by a function like `fetch`, as of a server in the same process. */
export const byFetch =
  (fetch: Fetch): Transport =>
  async ({ method, url, headers, body }, signal) => {
    const request = new Request(url, {
      method,
      headers,
      redirect: 'manual',
      ...(signal && { signal }),
      ...(body === undefined ? {} : { body }),
    })
    const response = await fetch(request)
    return { status: response.status, headers: response.headers, body: await readBody(response) }
  }

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the stream.
    if (size > largestBody) throw new TooLarge()
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '')
  return headers
}
