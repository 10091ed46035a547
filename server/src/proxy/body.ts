import { ServiceError } from '../base/errors.ts'
import { type JsonValue, parseJsonInSlices } from '../base/json/json.ts'
import { toMalformedJson } from '../base/json/malformed-json.ts'
import { decodeUtf8 } from '../base/utf8.ts'
import { MalformedReference, splitReferences } from '../tokens/payloads/references.ts'
import { asText } from '../tokens/payloads/replace-references.ts'
import type { Headers } from './headers.ts'
import { joinParts, readPairs } from './target.ts'

/** A body that names tokens. */
interface Body {
  /** The texts and values in which expressions are replaced. */
  readonly payload: JsonValue
  /** Makes the body from the payload after that. */
  fill(payload: JsonValue): string
}

/**
 * Reads a body by its content type. Returns `undefined` for one that names no token, or in which expressions are not
 * replaced, such as a file: it is sent on as it came.
 * @throws {ServiceError} malformed_json, validation
 */
export async function readBody(headers: Headers, bytes: Uint8Array): Promise<Body | undefined> {
  const type = mediaType(headers)
  if (bytes.length === 0 || type === undefined) return undefined
  const text = decodeUtf8(bytes)
  // JSON and forms can write braces in other ways.
  if (text === undefined || !/\{\{|%7b|\\u007b/i.test(text)) return undefined
  if (type === 'form') {
    const parts = readPairs(text, 'body')
    return {
      payload: parts.map(part => part.text ?? null),
      fill: filled =>
        joinParts(
          parts,
          (filled as JsonValue[]).map((one, at) => (parts[at]?.text === undefined ? undefined : asText(one))),
        ),
    }
  }
  if (type === 'json') return { payload: await parsed(text), fill: filled => JSON.stringify(filled) }
  const pieces = split(text)
  const written = type === 'xml' ? escapeXml : (one: string) => one
  return {
    payload: pieces.map((piece, at) => (at % 2 === 1 ? piece : null)),
    fill: filled =>
      pieces
        .map((piece, at) => (at % 2 === 1 ? written(asText((filled as JsonValue[])[at] ?? null)) : piece))
        .join(''),
  }
}

/** Returns the kind of a body in which expressions are replaced. */
export function mediaType(headers: Headers): 'json' | 'form' | 'text' | 'xml' | undefined {
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) return undefined
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (/^application\/(.+\+)?json$/.test(type)) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (/^(application|text)\/(.+\+)?xml$/.test(type)) return 'xml'
  return type === 'text/plain' ? 'text' : undefined
}

/** @throws {ServiceError} malformed_json */
async function parsed(text: string): Promise<JsonValue> {
  try {
    return await parseJsonInSlices(text)
  } catch (error) {
    throw toMalformedJson(error)
  }
}

function split(text: string): readonly string[] {
  try {
    return splitReferences(text)
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
