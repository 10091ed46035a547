import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts'

/** The content of a token, as sent by a client and expected in reads. */
export interface Content {
  readonly type: string
  readonly data: JsonValue
  readonly metadata: JsonObject
}

/** The state of a token: its content, or absent. */
type State = Content | 'absent'

/**
 * Records the responses to clients, and so the expected data after a crash. An operation without a response may have
 * happened or not; an acknowledged one has.
 */
export class Ledger {
  /** The allowed states by id: more than one while an operation is pending. */
  readonly #tokens = new Map<string, readonly State[]>()
  /** Pending creates whose id the server chooses, by their mark. */
  readonly #unnamed = new Map<JsonValue | undefined, Content>()

  /** Records that an operation on a token was sent. Call `answered` with its response. */
  sent(id: string, next: State): void {
    this.#tokens.set(id, [...(this.#tokens.get(id) ?? ['absent']), next])
  }

  answered(id: string, state: State): void {
    this.#tokens.set(id, [state])
  }

  sentUnnamed(content: Content): void {
    this.#unnamed.set(content.metadata.mark, content)
  }

  answeredUnnamed(id: string, content: Content): void {
    this.#unnamed.delete(content.metadata.mark)
    this.#tokens.set(id, [content])
  }

  get ids(): Iterable<string> {
    return this.#tokens.keys()
  }

  /** Compares the result of a read with the ledger. Returns what is wrong. Later reads must find the same. */
  settle(id: string, found: State): string | undefined {
    const allowed = this.#tokens.get(id)
    if (allowed?.some(state => isDeepStrictEqual(state, found))) {
      this.#tokens.set(id, [found])
      return undefined
    }
    if (allowed) return `${id} is ${describe(found)} and should be ${allowed.map(describe).join(' or ')}`
    const sent = found === 'absent' ? undefined : this.#unnamed.get(found.metadata.mark)
    if (sent === undefined || !isDeepStrictEqual(sent, found))
      return `${id} was never sent: ${describe(found)}`
    this.answeredUnnamed(id, sent)
    return undefined
  }

  /** Forgets pending creates: after the crash they cannot happen any more. */
  endRound(): void {
    this.#unnamed.clear()
  }
}

function describe(state: State): string {
  return state === 'absent' ? state : JSON.stringify(state).slice(0, 300)
}
