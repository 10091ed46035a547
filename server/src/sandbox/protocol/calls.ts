import { EgressError } from '../../egress/egress-error.ts'
import type { Sender } from '../../egress/network.ts'
import type { Egress, ServiceResponse, ServiceTransport } from '../sandbox.ts'
import type { SandboxLimits } from '../sandbox-limits.ts'
import { FrameError } from './frames.ts'

/** A request of `svc` or `fetch`, parsed from an untrusted frame. */
interface Call {
  readonly call: number
  readonly kind: 'svc' | 'fetch'
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** What to do with a redirect. Left out to follow it. */
  readonly redirect: 'manual' | 'error' | undefined
}

interface CallsOptions {
  readonly svc: ServiceTransport | null
  readonly egress: Egress | undefined
  /** Whose requests they are. */
  readonly by: Sender
  readonly idempotencyHeader: string
  readonly limits: SandboxLimits['calls']
  /** Sends a frame; `written` is called when the process has read it. */
  send(header: object, body: Uint8Array, written: () => void): void
}

/** Performs the calls of one invocation within their limits. */
export class Calls {
  readonly #options: CallsOptions
  readonly #ended = new AbortController()
  #total = 0
  #open = 0
  #unreadBytes = 0

  constructor(options: CallsOptions) {
    this.#options = options
  }

  /** Ends all calls, because the invocation has ended. */
  end(): void {
    this.#ended.abort()
  }

  /** Performs a call and sends its response. @throws {FrameError} if the frame is not a valid call */
  receive(header: Record<string, unknown>, body: Uint8Array): void {
    const { limits } = this.#options
    const call = readCall(header, body)
    if (!call || call.call !== this.#total + 1) throw new FrameError('not a valid call')
    this.#total++
    if (this.#open >= limits.open || this.#total > limits.total) {
      const most = this.#total > limits.total ? `${limits.total} in total` : `${limits.open} at once`
      const message = `too many requests: at most ${most}`
      this.#options.send({ type: 'failure', call: call.call, message }, new Uint8Array(0), () => {})
      return
    }
    this.#open++
    const fail = (message: string) => this.#respond({ type: 'failure', call: call.call, message })
    performCall(call, this.#options, this.#ended.signal).then(
      ({ status, headers, body }) =>
        this.#unreadBytes + body.length > limits.unreadBytes
          ? fail('too many responses wait to be read')
          : this.#respond({ type: 'answer', call: call.call, status, headers }, body),
      (error: unknown) => fail(error instanceof CallRefused ? error.message : 'the request failed'),
    )
  }

  /** A call stays open until its response is read: unread responses would fill the server's memory. */
  #respond(header: object, body: Uint8Array = new Uint8Array(0)): void {
    if (this.#ended.signal.aborted) return
    this.#unreadBytes += body.length
    this.#options.send(header, body, () => {
      this.#open--
      this.#unreadBytes -= body.length
    })
  }
}

/** A request is refused. The message is for the formula, and reveals nothing about the host. */
class CallRefused extends Error {
  override readonly name = 'CallRefused'
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Parses the call in a frame. Returns `undefined` for one that the runner program never sends. */
function readCall(header: Record<string, unknown>, body: Uint8Array): Call | undefined {
  const { call, kind, method, target, headers, hasBody, redirect } = header
  if (!Number.isSafeInteger(call) || (kind !== 'svc' && kind !== 'fetch')) return undefined
  if (typeof method !== 'string' || typeof target !== 'string' || !Array.isArray(headers)) return undefined
  if (redirect !== undefined && redirect !== 'manual' && redirect !== 'error') return undefined
  const pairs: [string, string][] = []
  for (const pair of headers) {
    if (!Array.isArray(pair) || pair.length !== 2) return undefined
    const [name, value] = pair as unknown[]
    if (typeof name !== 'string' || typeof value !== 'string') return undefined
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return undefined
    pairs.push([name, value])
  }
  const bytes = hasBody === true ? new Uint8Array(body) : undefined
  const fields = Object.fromEntries(pairs)
  return { call: call as number, kind, method, target, headers: fields, body: bytes, redirect }
}

/** @throws {CallRefused} and any error of the transport */
async function performCall(call: Call, options: CallsOptions, signal: AbortSignal) {
  if (!methods.has(call.method)) throw new CallRefused('this method is not allowed')
  const response = await (call.kind === 'svc'
    ? callService(call, options, signal)
    : fetchOutside(call, options, signal))
  const { status, headers } = response
  const body =
    typeof response.body === 'string' ? Buffer.from(response.body) : (response.body ?? new Uint8Array())
  if (body.length > options.limits.bodyBytes) throw new CallRefused('the response is too long')
  return { status, headers: Object.entries(headers).slice(0, 100), body }
}

const origin = 'https://svc.invalid'

function callService(
  call: Call,
  { svc, idempotencyHeader }: CallsOptions,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  if (!svc) throw new CallRefused('there is no client: this reactor has no application')
  const url = URL.canParse(call.target, origin) ? new URL(call.target, origin) : undefined
  if (!url || url.origin !== origin || !call.target.startsWith('/')) {
    throw new CallRefused('the path is not valid')
  }
  // The host decides who the caller is: only headers that concern the body are passed on.
  const kept = ['content-type', 'accept', idempotencyHeader]
  const headers = Object.fromEntries(Object.entries(call.headers).filter(([name]) => kept.includes(name)))
  const { method, body } = call
  return svc({ method, path: url.pathname + url.search, headers, signal, ...(body ? { body } : {}) })
}

async function fetchOutside(
  call: Call,
  { egress, by }: CallsOptions,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  if (!egress) throw new CallRefused('fetch is not available: the operator allows no origin')
  const { method, headers, body, redirect } = call
  const more = { ...(body ? { body } : {}), ...(redirect ? { redirect } : {}) }
  try {
    return await egress({ method, url: call.target, headers, by, signal, ...more })
  } catch (error) {
    // Other reasons would let formulas scan the network of the server.
    const isTold = error instanceof EgressError && error.reason === 'development'
    throw new CallRefused(isTold ? error.message : 'the request failed')
  }
}
