import { Readable } from 'node:stream'
import { bodiless } from '../../base/bodiless-statuses.ts'
import { JsonError, type JsonValue, parseJson } from '../../base/json/json.ts'
import type { Head, Sent } from '../../egress/network.ts'
import type { GivenAnswer } from './answer.ts'

const json = 'application/json'

/** Makes the response that an answer of a test stands for, as if it came from the network. */
export function responseOf(
  { status = 200, headers = {}, body, body_base64 }: GivenAnswer,
  method: string,
): Head {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const isJson = body !== undefined && typeof body !== 'string'
  const text = isJson ? JSON.stringify(body) : ((body as string | undefined) ?? '')
  const bytes = body_base64 === undefined ? Buffer.from(text) : Buffer.from(body_base64, 'base64')
  const isEmpty = method === 'HEAD' || bodiless.has(status) || bytes.length === 0
  return {
    status,
    headers: { ...(isJson ? { 'content-type': json } : {}), 'content-length': `${bytes.length}`, ...lower },
    // Who reads it gets the error; without a reader there is nobody to tell.
    body: Readable.from(isEmpty ? [] : [bytes]).on('error', () => {}),
  }
}

/** Returns the body of a request: of JSON its value, of a form an object of texts, anything else as a text. */
export function bodyOf({ body, headers }: Pick<Sent, 'body' | 'headers'>): JsonValue | undefined {
  if (body === undefined || body.length === 0) return undefined
  const text = Buffer.from(body).toString()
  const [, type = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? []
  if (/^application\/x-www-form-urlencoded\b/i.test(type))
    return Object.fromEntries(new URLSearchParams(text))
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return text
  }
}
