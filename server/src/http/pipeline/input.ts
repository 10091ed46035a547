import { ServiceError } from '../../base/errors.ts'
import type { Pass } from '../../base/flow/turns.ts'
import { type JsonValue, parseJson, parseJsonInTurns } from '../../base/json/json.ts'
import { toMalformedJson } from '../../base/json/malformed-json.ts'
import { decodeText, decodeUtf8, NotUtf8 } from '../../base/utf8.ts'
import type { CoreRequest } from '../transport/message.ts'

/** @throws {ServiceError} payload_too_large */
// Requirements: ERR-511
export function readBodyWithin(
  request: CoreRequest,
  limitBytes: number,
  tenant: string,
): Promise<Uint8Array> {
  return request.readBody(limitBytes, tenant).then(bytes => {
    if (bytes) return bytes
    throw new ServiceError('payload_too_large', `the body must not be longer than ${limitBytes} bytes`)
  })
}

/** @throws {ServiceError} malformed_json */
export function parseBody(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(decodeBody(bytes))
  } catch (error) {
    throw toMalformedJson(error)
  }
}

/** Like `parseBody`, for a large body: yields to other requests. */
export async function parseBodyInTurns(bytes: Uint8Array, pass: Pass): Promise<JsonValue> {
  try {
    const text = decodeBody(bytes)
    await pass()
    return await parseJsonInTurns(text, pass)
  } catch (error) {
    throw toMalformedJson(error)
  }
}

/** Decodes a body that is itself a text: keeps a byte-order mark. @throws {ServiceError} validation */
export function decodePlain(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? decodeBody(bytes, 'validation')
}

/** @throws {ServiceError} the code, if the bytes are not UTF-8 */
function decodeBody(bytes: Uint8Array, code: 'malformed_json' | 'validation' = 'malformed_json'): string {
  try {
    return decodeText(bytes, 'the body')
  } catch (error) {
    throw error instanceof NotUtf8 ? new ServiceError(code, error.message) : error
  }
}
