import { ServiceError } from '../../base/errors.ts'
import type { Turns } from '../../base/flow/event-loop.ts'
import { decodeUtf8, type JsonValue, parseJson, parseJsonInTurns } from '../../base/json/json.ts'
import { toMalformedJson } from '../../base/json/malformed-json.ts'
import type { CoreRequest } from '../transport/message.ts'

/** @throws {ServiceError} payload_too_large */
// Requirements: ERR-511
export function readBodyWithin(request: CoreRequest, limitBytes: number): Promise<Uint8Array> {
  return request.readBody(limitBytes).then(bytes => {
    if (bytes) return bytes
    throw new ServiceError('payload_too_large', `the body must not be longer than ${limitBytes} bytes`)
  })
}

/** @throws {ServiceError} malformed_json */
export function parseBody(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(decode(bytes))
  } catch (error) {
    throw toMalformedJson(error)
  }
}

/** Like `parseBody`, for a large body: other requests get their turns. */
export async function parseBodyInTurns(bytes: Uint8Array, turns: Turns, tenant?: string): Promise<JsonValue> {
  try {
    const text = decode(bytes)
    await turns.passed(tenant)
    return await parseJsonInTurns(text, turns, tenant)
  } catch (error) {
    throw toMalformedJson(error)
  }
}

/** @throws {ServiceError} the code, if the bytes are not UTF-8 */
export function decode(bytes: Uint8Array, code: 'malformed_json' | 'validation' = 'malformed_json'): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new ServiceError(code, 'the body is not UTF-8')
  return text
}
