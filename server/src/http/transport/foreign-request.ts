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
