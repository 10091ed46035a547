import type { SandboxLimits } from './limits.ts'
import type { Egress } from './options.ts'
import type { ServiceResponse, ServiceTransport } from './sandbox.ts'

/** A request of `svc` or `fetch`, read from a frame that may say anything. */
export interface Call {
  readonly call: number
  readonly kind: 'svc' | 'fetch'
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

export interface Answering {
  readonly svc: ServiceTransport | null
  readonly egress: Egress | undefined
  readonly idempotencyHeader: string
  readonly limits: SandboxLimits['calls']
  readonly signal: AbortSignal
}

/** Its message is for the formula, and says nothing of the host. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused'
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The call in a frame, or `undefined` where no runner of ours would have sent it. */
export function readCall(header: Record<string, unknown>, body: Uint8Array): Call | undefined {
  const { call, kind, method, target, headers, hasBody } = header
  if (!Number.isSafeInteger(call) || (kind !== 'svc' && kind !== 'fetch')) return undefined
  if (typeof method !== 'string' || typeof target !== 'string' || !Array.isArray(headers)) return undefined
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
  return { call: call as number, kind, method, target, headers: Object.fromEntries(pairs), body: bytes }
}

/** @throws {CallRefused} and whatever the transport throws */
export async function answerCall(call: Call, answering: Answering): Promise<Answer> {
  if (!methods.has(call.method)) throw new CallRefused('this method is not allowed')
  const response = await (call.kind === 'svc' ? askService(call, answering) : askOutside(call, answering))
  const { status, headers } = response
  const body =
    typeof response.body === 'string' ? Buffer.from(response.body) : (response.body ?? new Uint8Array())
  if (body.length > answering.limits.bodyBytes) throw new CallRefused('the response is too long')
  return { status, headers: Object.entries(headers).slice(0, 100), body }
}

const origin = 'https://svc.invalid'

function askService(call: Call, { svc, idempotencyHeader }: Answering): Promise<ServiceResponse> {
  if (!svc) throw new CallRefused('this reactor has no application, so formulas have no client')
  const url = URL.canParse(call.target, origin) ? new URL(call.target, origin) : undefined
  if (!url || url.origin !== origin || !call.target.startsWith('/'))
    throw new CallRefused('the path is not valid')
  // Who calls is bound by the host: of what the runner says, only what the body needs goes on.
  const kept = ['content-type', 'accept', idempotencyHeader]
  const headers = Object.fromEntries(Object.entries(call.headers).filter(([name]) => kept.includes(name)))
  const { method, body } = call
  return svc({ method, path: url.pathname + url.search, headers, ...(body ? { body } : {}) })
}

async function askOutside(call: Call, { egress, signal }: Answering): Promise<ServiceResponse> {
  if (!egress) throw new CallRefused('formulas may not fetch here: the operator allows no origin')
  const { method, headers, body } = call
  try {
    return await egress({ method, url: call.target, headers, signal, ...(body ? { body } : {}) })
  } catch {
    // Why it failed would make of formulas a scanner of the network they run in.
    throw new CallRefused('the request failed')
  }
}
