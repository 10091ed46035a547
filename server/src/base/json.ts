import { findExcess } from './json-bounds.ts'
import { JsonError, LossScan } from './json-loss.ts'
import { Turns } from './turn.ts'

export { JsonError } from './json-loss.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
export interface JsonObject {
  [member: string]: JsonValue
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Bytes to text; `undefined` where they are not UTF-8. A byte order mark is not stripped: JSON has none. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses JSON and refuses what would come back altered: integers beyond ±(2^53 − 1), numbers that a double does
 * not spell back with the same value, repeated member names, lone surrogates, `__proto__`, nesting deeper than 64,
 * more than 100,000 members and elements.
 *
 * `JSON.parse` reads the text; the scan after it walks the same text once for what `JSON.parse` lets pass.
 * @throws {JsonError}
 */
// Requirements: WIR-505, WIR-506, WIR-522
export function parseJson(text: string): JsonValue {
  const value = read(text)
  new LossScan(text).run()
  return value
}

/** Between two pieces of the scan, in characters, other requests may have their turn. */
const pieceOfScan = 16 * 1024

/** Like `parseJson`, for text that may be long: other requests have their turns. Rejects with a JsonError. */
export async function parseJsonInTurns(text: string, turns = new Turns()): Promise<JsonValue> {
  const value = read(text)
  const scan = new LossScan(text)
  while (!scan.run(pieceOfScan)) await turns.passed()
  return value
}

function read(text: string): JsonValue {
  const excess = findExcess(text)
  if (excess) throw new JsonError(excess.message, '', excess.offset)
  try {
    return JSON.parse(text)
  } catch (error) {
    // The engine's message quotes the text, which may be a card number.
    throw new JsonError('is not well-formed JSON', '', syntaxErrorOffset(text, error))
  }
}

/** Where a text stops being JSON, as far as the engine says: its position, or the end of the text. */
function syntaxErrorOffset(text: string, error: unknown): number {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')
  return position?.[1] === undefined ? text.length : Number(position[1])
}
