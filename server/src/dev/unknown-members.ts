import type { JsonValue } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import type { Operation } from '../contract/contract.ts'
import type { Validators } from '../contract/validators.ts'

/** Names may come from callers, so only so many are kept to log each once. */
const mostKnown = 1000

/** Warns of members of requests that the contract does not name: a server ignores them, which may be a mistake. */
export class UnknownMembers {
  readonly #known = new Set<string>()
  readonly #validators: Pick<Validators, 'unknownMembers'>
  readonly #log: Log

  constructor(validators: Pick<Validators, 'unknownMembers'>, log: Log) {
    this.#validators = validators
    this.#log = log
  }

  /** Returns the text of a warning for the response, if there is one, and logs what is new in it. */
  warn(operation: Operation, body: JsonValue): string | undefined {
    const members = this.#validators.unknownMembers(operation, body)
    for (const { logged: member } of members) {
      const known = `${operation.id} ${member}`
      if (this.#known.has(known) || this.#known.size >= mostKnown) continue
      this.#known.add(known)
      this.#log.warn('unknown member ignored', { operation: operation.id, member })
    }
    if (members.length === 0) return undefined
    return `ignored, as the contract does not name it: ${members.map(({ text }) => text).join(', ')}`
  }
}
