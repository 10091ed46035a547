import { Contract } from '../harness/contract.ts'
import { expectEqual, Finding } from '../harness/finding.ts'
import type { Carrier, SendOptions, Target } from '../harness/target.ts'
import { contentOf, type HttpResponse } from '../harness/transport.ts'
import { type ClientModule, call, type Given, loadClient } from './client.ts'

/**
 * Sends requests through the TypeScript client, and checks that it returns or throws what came over the wire: this tests
 * client and server together.
 */
export async function loadCarrier(
  target: Target,
  contract = new Contract(),
  client?: ClientModule,
): Promise<Carrier> {
  const module = client ?? (await loadClient())
  return (key, method, path, body, options, send) => {
    const operation = contract.operationOf(method, path)
    const given = operation && key !== undefined && givenBy(operation.path, path, body, options, target)
    if (!operation || !given) return undefined
    let received: HttpResponse | undefined
    const client = new module.Surrogate({
      apiKey: key,
      baseUrl: target.baseUrl,
      headerPrefix: target.headerPrefix,
      maxRetries: 0,
      timeout: target.timeoutMs,
      logLevel: 'off',
      fetch: async (url: string, init: RequestInit) => {
        received = await send({
          method: init.method ?? 'GET',
          url,
          headers: Object.fromEntries(new Headers(init.headers)),
          body: init.body as string | undefined,
        })
        const { status, headers } = received
        return new Response(bodiless.has(status) ? null : received.body, { status, headers })
      },
    })
    return compare(
      module,
      () => call(client, operation, given),
      async () => {
        if (!received) return undefined
        const { status, headers } = received
        const { text } = contentOf(received)
        // The response to an asynchronous invocation has no body; the client returns its trace id.
        const isAccepted = operation.id === 'reactors.react' && status === 202 && text === ''
        return {
          status,
          text,
          result: isAccepted ? { traceId: headers.get(`${target.headerPrefix}-TRACE-ID`) } : bodyOf(text),
        }
      },
    )
  }
}

/** A response, and what the client makes of it if it is a success. */
type Received = { readonly status: number; readonly text: string; readonly result: unknown } | undefined

/** Statuses whose responses have no body (RFC 9110). */
const bodiless = new Set([204, 205, 304])

const bodyOf = (text: string): unknown => (text === '' ? undefined : JSON.parse(text))

async function compare(
  { APIError }: ClientModule,
  send: () => PromiseLike<unknown>,
  received: () => Promise<Received>,
): Promise<void> {
  let result: unknown
  let thrown: unknown
  try {
    result = await send()
  } catch (error) {
    thrown = error
  }
  const wire = await received()
  if (thrown !== undefined && !(thrown instanceof APIError)) {
    // There was no response: the recorder has thrown this finding inside the client's fetch.
    const { cause } = thrown as { readonly cause?: unknown }
    if (cause instanceof Finding) throw cause
    throw new Finding(
      `the client threw ${thrown instanceof Error ? thrown.name : typeof thrown} instead of an API error`,
    )
  }
  if (!wire) throw new Finding('the client returned without sending a request')
  if (thrown instanceof APIError) {
    expectEqual(thrown.status, wire.status, 'status of the error that the client throws')
    expectEqual(thrown.body, bodyOf(wire.text), 'body of the error that the client throws')
    return
  }
  if (wire.status >= 300)
    throw new Finding(`the client returned although the server responded with ${wire.status}`)
  expectEqual(result, wire.result, 'result of the client')
}

const listed = ['id', 'type']

/** Returns the arguments for the client, or undefined if it cannot express the request. */
function givenBy(
  template: string,
  path: string,
  body: unknown,
  options: SendOptions,
  target: Target,
): Given | undefined {
  const [bare = '', search] = path.split('?')
  const headers = { ...options.headers }
  const prefix = `${target.headerPrefix}-`
  const idempotencyKey = headers[`${prefix}IDEMPOTENCY-KEY`]
  const traceId = headers[`${prefix}TRACE-ID`]
  delete headers[`${prefix}IDEMPOTENCY-KEY`]
  delete headers[`${prefix}TRACE-ID`]
  // The client sets all other headers itself.
  if (Object.keys(headers).length > 0 || (body !== undefined && (typeof body !== 'object' || body === null)))
    return undefined
  const parts = bare.split('/')
  const ids = template.split('/').flatMap((part, at) => (part.startsWith('{') ? [parts[at] ?? ''] : []))
  const query = search === undefined ? undefined : queryOf(new URLSearchParams(search))
  return {
    ids: ids.map(decodeURIComponent),
    body,
    query,
    options: {
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(traceId === undefined ? {} : { traceId }),
    },
  }
}

function queryOf(parameters: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  const metadata: Record<string, string> = {}
  for (const [name, value] of parameters) {
    if (name.startsWith('metadata.')) metadata[name.slice('metadata.'.length)] ??= value
    else if (listed.includes(name)) query[name] = parameters.getAll(name)
    else query[name] = /^(page|size)$/.test(name) && /^-?\d+$/.test(value) ? Number(value) : value
  }
  return Object.keys(metadata).length === 0 ? query : { ...query, metadata }
}
