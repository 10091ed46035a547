import { Contract } from '../harness/contract.ts'
import { expectEqual, Finding } from '../harness/finding.ts'
import type { Carrier, SendOptions, Target } from '../harness/target.ts'
import { calls } from './calls.ts'
import { type ClientModule, loadClient } from './client.ts'

/**
 * Says requests through the TypeScript client, and holds what it answers or throws against what came over the wire:
 * client and server are proved together.
 */
export async function loadCarrier(
  target: Target,
  contract = new Contract(),
  client?: ClientModule,
): Promise<Carrier> {
  const module = client ?? (await loadClient())
  return (key, method, path, body, options, fetch) => {
    const operation = contract.operationOf(method, path)
    const say = operation && calls[operation.id]
    const said =
      operation && key !== undefined ? saidAs(operation.path, path, body, options, target) : undefined
    if (!say || !said) return undefined
    let came: Response | undefined
    const client = new module.Surrogate({
      apiKey: key,
      baseUrl: target.baseUrl,
      headerPrefix: target.headerPrefix,
      maxRetries: 0,
      timeout: target.timeoutMs,
      fetch: async (request: Request) => {
        const response = await fetch(request)
        came = response.clone()
        return response
      },
    })
    return compared(
      module,
      () => say(client, said),
      async () => came && { status: came.status, text: await came.text() },
    )
  }
}

type Came = { readonly status: number; readonly text: string } | undefined

async function compared(
  { APIError }: ClientModule,
  say: () => PromiseLike<unknown>,
  came: () => Promise<Came>,
): Promise<void> {
  let answer: unknown
  let thrown: unknown
  try {
    answer = await say()
  } catch (error) {
    thrown = error
  }
  const wire = await came()
  if (thrown !== undefined && !(thrown instanceof APIError)) {
    // The client found no answer; neither did we, and whoever waits for one says so.
    const { cause } = thrown as { readonly cause?: unknown }
    if (cause instanceof Finding) throw cause
    throw new Finding(
      `the client threw ${thrown instanceof Error ? thrown.name : 'what is no error'} instead of an API error`,
    )
  }
  if (!wire) throw new Finding('the client answered without asking the server')
  const body = wire.text === '' ? undefined : JSON.parse(wire.text)
  if (thrown instanceof APIError) {
    expectEqual(thrown.status, wire.status, 'status of the error that the client throws')
    expectEqual(thrown.body, body, 'body of the error that the client throws')
    return
  }
  if (wire.status >= 300) throw new Finding(`the client answers where the server says ${wire.status}`)
  expectEqual(answer, body, 'what the client answers')
}

const listed = ['id', 'type']

/** A request in the client's terms; undefined where it has none for it. */
function saidAs(template: string, path: string, body: unknown, options: SendOptions, target: Target) {
  const [bare = '', search] = path.split('?')
  const headers = { ...options.headers }
  const prefix = `${target.headerPrefix}-`
  const idempotencyKey = headers[`${prefix}IDEMPOTENCY-KEY`]
  const traceId = headers[`${prefix}TRACE-ID`]
  delete headers[`${prefix}IDEMPOTENCY-KEY`]
  delete headers[`${prefix}TRACE-ID`]
  // The client sets what else there is by itself.
  if (Object.keys(headers).length > 0 || (body !== undefined && (typeof body !== 'object' || body === null)))
    return undefined
  const at = template.split('/').findIndex(part => part.startsWith('{'))
  const query = search === undefined ? undefined : queryOf(new URLSearchParams(search))
  return {
    id: at < 0 ? '' : decodeURIComponent(bare.split('/')[at] ?? ''),
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
