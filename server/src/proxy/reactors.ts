import type { Caller } from '../access/caller.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import { decodeUtf8, isJsonObject, JsonError, type JsonValue, parseJson } from '../base/json/json.ts'
import type { ReactorsContext } from '../reactors/context.ts'
import { react } from '../reactors/react.ts'
import type { Reaction } from '../webhooks/reaction.ts'
import { mediaType } from './body.ts'
import type { Filled } from './fill.ts'
import { checkHeaders, type Headers, headersToSend } from './headers.ts'

interface Named {
  /** Its id. */
  readonly reactor: string
  readonly traceId: string
}

/**
 * Invokes a reactor with a request, and returns the headers and body to send instead.
 * @throws {ServiceError} like `react`; reactor_runtime if the result is not a request
 */
export async function reactToRequest(
  context: ReactorsContext,
  caller: Caller,
  {
    reactor,
    traceId,
    method,
    filled,
    headerPrefix,
  }: Named & { method: string; filled: Filled; headerPrefix: string },
): Promise<Pick<Filled, 'headers' | 'body'>> {
  const args = { method, headers: filled.headers, body: jsonOrText(filled.headers, filled.body) }
  const reaction = await invoke(context, caller, { reactor, traceId, header: 'proxy_request_reactor' }, args)
  const raw = reaction.kind === 'answered' ? reaction.raw : undefined
  if (!isJsonObject(raw) || !isHeaders(raw.headers ?? {})) {
    throw new ServiceError(
      'reactor_runtime',
      'the formula must return as raw an object with headers, an object of texts, or body',
    )
  }
  // Still none of the connection or of this server.
  const lower = Object.entries((raw.headers ?? {}) as Headers).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ])
  const headers: Record<string, string> = {
    ...(raw.headers === undefined ? filled.headers : headersToSend(Object.fromEntries(lower), headerPrefix)),
  }
  if (raw.body === undefined) {
    checkHeaders(headers)
    return { headers, body: filled.body }
  }
  const isText = typeof raw.body === 'string' && mediaType(headers) !== 'json'
  if (!isText) headers['content-type'] = 'application/json'
  checkHeaders(headers)
  return { headers, body: Buffer.from(isText ? (raw.body as string) : JSON.stringify(raw.body)) }
}

/** Invokes a reactor with the response of a target. @throws {ServiceError} like `react`; target_failed */
export async function reactToResponse(
  context: ReactorsContext,
  caller: Caller,
  {
    reactor,
    traceId,
    status,
    headers,
    pieces,
  }: Named & { status: number; headers: Headers; pieces: AsyncIterable<Uint8Array> },
): Promise<Reaction> {
  const bytes = await readWhole(pieces)
  return invoke(
    context,
    caller,
    { reactor, traceId, header: 'proxy_response_reactor' },
    { status, headers, body: jsonOrText(headers, bytes) },
  )
}

async function readWhole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of pieces) chunks.push(chunk)
  } catch {
    throw new ServiceError(
      'target_failed',
      'the response of the target ended early or is too long for a reactor',
    )
  }
  return Buffer.concat(chunks)
}

/** What a target sent may look like an expression, so nothing in it is replaced. */
async function invoke(
  context: ReactorsContext,
  caller: Caller,
  { reactor, traceId, header }: Named & { readonly header: string },
  args: JsonValue,
): Promise<Reaction> {
  try {
    return await react(context, caller, {
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
function jsonOrText(headers: Headers, bytes: Uint8Array): JsonValue {
  const text = decodeUtf8(bytes)
  if (text === undefined)
    throw new ServiceError('validation', 'a reactor takes a body of JSON, or of text in UTF-8')
  if (mediaType(headers) !== 'json' || text === '') return text
  try {
    return parseJson(text)
  } catch (error) {
    // Not JSON that can be kept, such as one with a number that no double holds.
    if (error instanceof JsonError) return text
    throw error
  }
}

const isHeaders = (value: JsonValue) =>
  isJsonObject(value) && Object.values(value).every(one => typeof one === 'string')
