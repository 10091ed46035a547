import { ServiceError } from '../base/errors.ts'
import { inTurns, type Pass } from '../base/flow/turns.ts'
import { type JsonValue, parseJsonInTurns } from '../base/json/json.ts'
import { toMalformedJson } from '../base/json/malformed-json.ts'
import { NotUtf8 } from '../base/utf8.ts'
import { MalformedReference, splittingOf } from '../tokens/payloads/references.ts'
import { asText } from '../tokens/payloads/replace-references.ts'
import { type Charset, charsetOf, checkRange } from './charset.ts'
import type { ProxyHeaders } from './headers.ts'
import { joinParts, readForm } from './target.ts'

/** A body that names tokens. */
interface Body {
  /** The texts and values in which expressions are replaced. */
  readonly payload: JsonValue
  /** Makes the body from the payload after that. @throws {ServiceError} unsupported_media_type */
  fill(payload: JsonValue): Uint8Array
}

type Kind = 'json' | 'form' | 'text' | 'xml'

/**
 * Reads a body by its content type. Returns `undefined` for one that names no token, or in which expressions are not
 * replaced, such as a file: it is sent on as it came. What cannot be read is refused, as it may name tokens.
 * @throws {ServiceError} malformed_json, validation, unsupported_media_type
 */
export async function readBody(
  headers: ProxyHeaders,
  bytes: Uint8Array,
  pass: Pass,
): Promise<Body | undefined> {
  const kind = kindOf(headers)
  if (bytes.length === 0 || kind === undefined) return undefined
  if (isEncoded(headers)) throw unreadable('the body has a Content-Encoding; send it without one')
  const charset = orUnreadable(() => charsetOf(headers, kind, bytes))
  const text = orUnreadable(() => charset.decode(bytes))
  // JSON and forms can write braces in other ways.
  if (!/\{\{|%7b|\\u007b/i.test(text)) return undefined
  const { payload, fill } = await bodyOf(kind, text, charset, pass)
  return { payload, fill: filled => orUnreadable(() => charset.encode(fill(filled))) }
}

interface Reading {
  readonly payload: JsonValue
  fill(payload: JsonValue): string
}

async function bodyOf(kind: Kind, text: string, charset: Charset, pass: Pass): Promise<Reading> {
  if (kind === 'form') {
    const parts = await readForm(text, pass)
    return {
      payload: parts.map(part => part.text ?? null),
      fill: filled => {
        const texts = (filled as JsonValue[]).map((one, at) =>
          parts[at]?.text === undefined ? undefined : asText(one),
        )
        // Percent-encoding stands for bytes of the charset.
        if (!charset.isUtf8) checkRange(texts.join(''), 0x7f)
        return joinParts(parts, texts)
      },
    }
  }
  if (kind === 'json') return { payload: await parsed(text, pass), fill: filled => JSON.stringify(filled) }
  const pieces = await split(text, pass)
  const written = kind === 'xml' ? escapeXml : (one: string) => one
  return {
    payload: pieces.map((piece, at) => (at % 2 === 1 ? piece : null)),
    fill: filled =>
      pieces
        .map((piece, at) => (at % 2 === 1 ? written(asText((filled as JsonValue[])[at] ?? null)) : piece))
        .join(''),
  }
}

const isEncoded = (headers: ProxyHeaders) => !/^(identity)?$/i.test(headers['content-encoding'] ?? '')

/** Returns the kind of a body in which expressions are replaced. */
export const mediaType = (headers: ProxyHeaders): Kind | undefined =>
  isEncoded(headers) ? undefined : kindOf(headers)

function kindOf(headers: ProxyHeaders): Kind | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (/^application\/(.+\+)?json$/.test(type)) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (/^(application|text)\/(.+\+)?xml$/.test(type)) return 'xml'
  return type === 'text/plain' ? 'text' : undefined
}

const unreadable = (sentence: string) =>
  new ServiceError('unsupported_media_type', `expressions cannot be replaced: ${sentence}`)

function orUnreadable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof NotUtf8 ? unreadable(error.message) : error
  }
}

/** @throws {ServiceError} malformed_json */
async function parsed(text: string, pass: Pass): Promise<JsonValue> {
  try {
    return await parseJsonInTurns(text, pass)
  } catch (error) {
    throw toMalformedJson(error)
  }
}

async function split(text: string, pass: Pass): Promise<readonly string[]> {
  try {
    return await inTurns(splittingOf(text), pass)
  } catch (error) {
    if (!(error instanceof MalformedReference)) throw error
    throw new ServiceError('validation', `the body ${error.message}`, { errors: { body: [error.message] } })
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const escapeXml = (text: string) => text.replaceAll(/[&<>"']/g, character => entities[character] ?? '')
