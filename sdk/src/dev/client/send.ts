import type { KeepFunction } from './asked.ts'
import type { Operations } from './generated/operations.gen.ts'
import type { Problem } from './generated/types.gen.ts'
import { didYouMean } from './resembling.ts'

/** Reads the files of a folder. */
export type FilesIn = (
  folder: string,
) => AsyncIterable<{ readonly file: string; read(): AsyncIterable<string | Uint8Array> }>

/**
 * Where a development server is, and which tenant the calls are about.
 *
 * @example
 * ```ts
 * const options: DevOptions = { baseUrl: 'http://127.0.0.1:4000', managementKey: process.env.SURROGATE_MANAGEMENT_KEY }
 * const dev = new Dev(options)
 * ```
 */
export interface DevOptions {
  /** URL of the server, such as `http://127.0.0.1:4000`; may have a path. */
  readonly baseUrl: string
  /** Management key of the tenant; not needed for `createTenant`, `reset` and `clock`. */
  readonly managementKey?: string | undefined
  /** The token that the server was started with (`--dev-token`), if any. */
  readonly token?: string | undefined
  /** Prefix of the server's own headers, as in `SVC-API-KEY`. Default `SVC`. */
  readonly headerPrefix?: string | undefined
  /** Replaces the global `fetch`, as for a server in the same process. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Reads the files of a folder. Given by a vault in this process. @internal */
  readonly filesIn?: FilesIn | undefined
  /** Keeps a function that answers requests. Given by a vault in this process. @internal */
  readonly keepFunction?: KeepFunction | undefined
}

/**
 * The server refused a call to it as a development server, or is not one.
 *
 * @example
 * ```ts
 * await dev.clock.advance(-1).catch(error => {
 *   if (error instanceof DevError) console.error(error.status, error.errors)
 * })
 * ```
 */
export class DevError extends Error {
  override readonly name = 'DevError'
  readonly status: number
  /** Messages by the path of the member they are about. */
  readonly errors: Readonly<Record<string, readonly string[]>>

  constructor(message: string, status: number, errors: Readonly<Record<string, readonly string[]>> = {}) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

type Name = keyof Operations
type DataOf<N extends Name> = Operations[N]['data']
type ResponseOf<N extends Name> = Operations[N]['responses'][keyof Operations[N]['responses']]

type Sending<N extends Name> = [
  /** Its name, method and path. */
  operation: `${N} ${string}`,
  request?: Partial<Pick<DataOf<N>, Extract<keyof DataOf<N>, 'body' | 'path' | 'query'>>>,
]

/** Sends an operation of development servers, and resolves with the body. @throws {DevError} */
export type DevSend = <N extends Name>(...sending: Sending<N>) => Promise<ResponseOf<N>>

/** Sends an operation of development servers, and resolves with the response. @throws {DevError} */
export type DevRequest = <N extends Name>(...sending: Sending<N>) => Promise<Response>

export const devSend =
  (request: DevRequest): DevSend =>
  async (...sending) => {
    const text = await (await request(...sending)).text()
    return text === '' ? undefined : JSON.parse(text)
  }

export function devRequest(options: DevOptions): DevRequest {
  const { baseUrl, managementKey, token, headerPrefix = 'SVC', fetch } = checkedOptions(options)
  const base = baseUrl.replace(/\/+$/, '')
  return async (operation, request = {}) => {
    const [id = '', method = '', path = ''] = operation.split(' ')
    const {
      body,
      path: ids = {},
      query = {},
    } = request as Record<string, Record<string, unknown> | undefined>
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids[name])))
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.append(name, String(value))
    }
    const send = () =>
      (fetch ?? globalThis.fetch)(`${base}${filled}${String(search) && `?${search}`}`, {
        method,
        headers: {
          ...(managementKey === undefined ? {} : { [`${headerPrefix}-API-KEY`]: managementKey }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined
            ? {}
            : { 'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json' }),
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    let response = await send()
    // The request did not arrive in time, as on a busy machine, and nothing was done.
    for (let again = 0; response.status === 408 && again < mostRepeats; again++) {
      await response.body?.cancel()
      response = await send()
    }
    if (!response.ok) throw refusal(id, response.status, await response.text())
    return response
  }
}

const optionNames: readonly string[] = [
  'baseUrl',
  'managementKey',
  'token',
  'headerPrefix',
  'fetch',
  'filesIn',
  'keepFunction',
] satisfies (keyof DevOptions)[]

/** Throws a `TypeError` without an address, or for a name that is nearly that of an option. Others may come with a tenant. */
function checkedOptions(options: DevOptions): DevOptions {
  for (const name of Object.keys(options ?? {})) {
    const hint = optionNames.includes(name) ? '' : didYouMean(name, optionNames)
    if (hint !== '') throw new TypeError(`unknown option ${name}${hint}`)
  }
  try {
    // Not `canParse`, which is newer than some runtimes.
    new URL(options.baseUrl)
    return options
  } catch {
    throw new TypeError('baseUrl must be the URL of a development server, such as http://127.0.0.1:4000')
  }
}

/** How often a request is sent again that the server did not receive in time. */
const mostRepeats = 2

/** What is likely to be wrong, by status. */
const hints: Readonly<Record<number, string>> = {
  401: ' (name the tenant: dev.forTenant(tenant))',
  404: ' (was the server started with --dev?)',
}

function refusal(id: string, status: number, text: string): DevError {
  let problem: Partial<Problem> = {}
  try {
    problem = JSON.parse(text)
  } catch {
    // Not a problem document: the status says enough.
  }
  const { errors = {}, detail = `the server responded with ${status}`, explanation } = problem
  const listed = Object.entries(errors).map(([path, messages]) => `${path} ${messages.join(', ')}`)
  const reason = listed.length > 0 ? listed.join('; ') : detail
  // A development server explains each of its own.
  const hint = listed.length > 0 || (status === 404 && explanation) ? '' : (hints[status] ?? '')
  return new DevError(`${id}: ${reason}${hint}`, status, errors)
}
