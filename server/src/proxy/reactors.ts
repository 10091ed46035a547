import type { Caller } from '../access/caller.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import type { Pass } from '../base/flow/turns.ts'
import {
  isJsonObject,
  JsonError,
  type JsonObject,
  type JsonValue,
  parseJsonInTurns,
} from '../base/json/json.ts'
import { decodeText, NotUtf8 } from '../base/utf8.ts'
import type { Reactors } from '../reactors/reactors.ts'
import type { Reaction } from '../webhooks/reaction.ts'
import { mediaType } from './body.ts'
import { charsetOf } from './charset.ts'
import type { Filled } from './fill.ts'
import { checkHeaders, headersToSend, type ProxyHeaders } from './headers.ts'

/** A reactor that a header of a proxied request names. */
export interface NamedReactor {
  readonly reactors: Reactors
  readonly caller: Caller
  readonly traceId: string
  readonly reactor: string
  /** The path of the header in a refusal. */
  readonly header: string
  /** Lets others go first. */
  readonly pass: Pass
}

/** ProxyHeaders and body of a request or response. */
type Message = Pick<Filled, 'headers' | 'body'>

/**
 * Invokes a reactor with a request, and returns the headers and body to send instead, or the response that its formula
 * chose.
 * @throws {ServiceError} like `react`; reactor_runtime if the result is not a request
 */
export async function reactToRequest(
  named: NamedReactor,
  { method, filled, headerPrefix }: { method: string; filled: Filled; headerPrefix: string },
): Promise<Message | Extract<Reaction, { kind: 'custom' }>> {
  const { url, headers, body } = filled
  const reaction = await invoke(named, {
    method,
    path: url.pathname,
    query: url.search.slice(1),
    headers,
    body: await jsonOrText(headers, body, named.pass),
  })
  if (reaction.kind === 'custom') return reaction
  const { raw } = reaction
  if (!isJsonObject(raw) || !isHeaders(raw.headers ?? {}))
    throw wrongResult('an object with headers, which are an object of texts, or body')
  const sent = {
    ...(raw.headers === undefined ? headers : chosenHeaders(raw.headers as ProxyHeaders, headerPrefix)),
  }
  const changed = bodyOf(raw.body, sent) ?? body
  try {
    checkHeaders(sent)
  } catch (error) {
    throw error instanceof ServiceError ? wrongResult('an object with headers that can be sent') : error
  }
  return { headers: sent, body: changed }
}

/** Returns the headers that a reactor set: still none of the connection or of this server. */
function chosenHeaders(given: ProxyHeaders, headerPrefix: string): ProxyHeaders {
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])
  return headersToSend(Object.fromEntries(entries), headerPrefix)
}

/** Invokes a reactor with the response of a target. @throws {ServiceError} like `react`; target_failed */
export async function reactToResponse(
  named: NamedReactor,
  { status, headers, pieces }: { status: number; headers: ProxyHeaders; pieces: AsyncIterable<Uint8Array> },
): Promise<Reaction> {
  const body = await readWhole(pieces)
  await named.pass()
  return invoke(named, { status, headers, body: await jsonOrText(headers, body, named.pass) })
}

/** Returns the bytes of a body that code returned, and sets its content type. */
function bodyOf(body: JsonValue | undefined, headers: Record<string, string>): Uint8Array | undefined {
  if (body === undefined) return undefined
  // An empty body is an empty text, whatever the content type.
  if (typeof body === 'string' && (body === '' || mediaType(headers) !== 'json'))
    return encoded(body, headers)
  headers['content-type'] = 'application/json'
  return Buffer.from(JSON.stringify(body))
}

/** Returns a text in the charset that its headers name. @throws {ServiceError} reactor_runtime */
function encoded(body: string, headers: ProxyHeaders): Uint8Array {
  const bytes = Buffer.from(body)
  try {
    return charsetOf(headers, mediaType(headers) ?? 'text', bytes).encode(body)
  } catch (error) {
    throw error instanceof NotUtf8 ? wrongResult('a body in the charset of its content type') : error
  }
}

const wrongResult = (expected: string) =>
  new ServiceError('reactor_runtime', `the result of the code must be ${expected}`)

async function readWhole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of pieces) chunks.push(chunk)
  } catch {
    throw new ServiceError(
      'target_failed',
      'the response of the target ended early, or is longer than a reactor takes',
    )
  }
  return Buffer.concat(chunks)
}

/** What a target sent may look like an expression, so nothing in `args` is replaced. */
async function invoke(
  { reactors, caller, traceId, reactor, header }: NamedReactor,
  args: JsonObject,
): Promise<Reaction> {
  try {
    return await reactors.react(caller, {
      reactor: reactor.toLowerCase(),
      traceId,
      args,
      areResolved: true,
      depth: 0,
    })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
    throw invalid(header, 'names no reactor')
  }
}

/** Returns JSON as its value, and any other body as text. */
async function jsonOrText(headers: ProxyHeaders, bytes: Uint8Array, pass: Pass): Promise<JsonValue> {
  const text = textOf(bytes)
  if (mediaType(headers) !== 'json' || text === '') return text
  try {
    return await parseJsonInTurns(text, pass)
  } catch (error) {
    // Not JSON that can be kept, such as one with a number that no double holds.
    if (error instanceof JsonError) return text
    throw error
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return decodeText(bytes, 'the body')
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error
    throw new ServiceError('validation', `a reactor takes a body of JSON or text, but ${error.message}`)
  }
}

const isHeaders = (value: JsonValue) =>
  isJsonObject(value) && Object.values(value).every(one => typeof one === 'string')
