import { ReadableStream } from 'node:stream/web'
import { onAbort } from '../../base/flow/event-loop.ts'
import type { Core } from '../pipeline/core.ts'

/** Wraps the core as a Fetch API handler. */
export function toFetch(core: Core): (request: Request) => Promise<Response> {
  return async request => {
    const { pathname, search } = new URL(request.url)
    const headers: Record<string, string> = {}
    for (const [given, value] of request.headers) {
      // Not all environments of tests write names in lower case.
      const name = given.toLowerCase()
      // Without a socket the host has no meaning.
      if (name !== 'host') headers[name] = value
    }
    const response = await core({
      method: request.method,
      path: pathname,
      query: search.slice(1),
      headers,
      get isGone() {
        return request.signal.aborted
      },
      readBody: limit => readAll(request, limit),
      holdResponse: () => {},
      onClose: onAbort(request.signal),
    })
    const body = response.pieces
      ? (ReadableStream.from(encoded(response.pieces)) as ConstructorParameters<typeof Response>[0])
      : (response.body as string | Uint8Array<ArrayBuffer> | undefined)
    return new Response(body ?? null, { status: response.status, headers: response.headers })
  }
}

/** Not a generator: a reader who gives up ends the pieces at once, also while the next one is awaited. */
function encoded(pieces: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  const encode = ({
    done,
    value,
  }: IteratorResult<string | Uint8Array, unknown>): IteratorResult<Uint8Array, undefined> =>
    done
      ? { done, value: undefined }
      : { done: false, value: typeof value === 'string' ? encoder.encode(value) : value }
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => encode(await iterator.next()),
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}

async function readAll(request: Request, limit: number): Promise<Uint8Array | undefined> {
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > limit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Returns the request of a call of `fetch`. Objects of another realm are told by their members: tests in jsdom have a
 * `Request` and an `AbortSignal` of their own, which those of Node do not accept.
 */
export async function requestOf(
  input: Request | string | URL,
  init: RequestInit | undefined,
): Promise<Request> {
  const own = init?.signal ? { ...init, signal: followed(init.signal) } : init
  if (typeof input !== 'object' || !('method' in input)) return new Request(input, own)
  if (input instanceof Request) return own ? new Request(input, own) : input
  const { url, method, headers, signal } = input as Request
  const body = method === 'GET' || method === 'HEAD' ? null : await (input as Request).arrayBuffer()
  const copied = { method, headers: [...headers], body, ...(signal && { signal: followed(signal) }) }
  return new Request(url, { ...copied, ...own })
}

/** Returns a signal of this realm that aborts with the given one. */
function followed(signal: AbortSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const { aborted, reason } = signal as AbortSignal
  if (aborted) return AbortSignal.abort(reason)
  const controller = new AbortController()
  const follow = () => controller.abort((signal as AbortSignal).reason)
  ;(signal as AbortSignal).addEventListener('abort', follow, { once: true })
  return controller.signal
}
