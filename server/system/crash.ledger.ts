import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '../src/base/json.ts'

/** What a client sent of a token, and what a read must answer. */
export interface Content {
  readonly type: string
  readonly data: JsonValue
  readonly metadata: JsonObject
}

/** A token's content, or that there is none. */
type State = Content | 'absent'

/**
 * What the clients were told, and so what must be there after a crash. An operation that was sent and not
 * answered may have happened or not; one that was answered has.
 */
export class Ledger {
  /** By id: the states that are allowed. More than one while an operation is on its way. */
  readonly #tokens = new Map<string, readonly State[]>()
  /** Creates on their way whose id the server chooses, by their mark. */
  readonly #unnamed = new Map<JsonValue | undefined, Content>()

  /** An operation on the token of this id is sent. Call `answered` with its answer. */
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

  /** Holds what a read found against what was told; answers what is wrong. What was found must stay so. */
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

  /** Creates that the crash swallowed will not happen any more. */
  endRound(): void {
    this.#unnamed.clear()
  }
}

function describe(state: State): string {
  return state === 'absent' ? state : JSON.stringify(state).slice(0, 300)
}
