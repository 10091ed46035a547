import type { JsonValue } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import type { Operation } from '../contract/contract.ts'
import type { Suspect } from '../contract/spellings.ts'
import { type Validators, wordsOf } from '../contract/validators.ts'
import { RequestNotes } from './request-notes.ts'

/** Names may come from callers, so only so many are kept to log each once. */
const mostKnown = 1000

const events: Readonly<Record<Suspect['problem'], string>> = {
  ignored: 'unknown member ignored',
  undescribed: 'members become tokens',
  undeclared: 'undeclared argument removed',
}

const problems = Object.keys(events) as readonly Suspect['problem'][]

/** Warns of what is likely to be a mistake in a request, such as a member that the contract does not name. */
export class UnknownMembers {
  readonly #known = new Set<string>()
  readonly #validators: Pick<Validators, 'suspects'>
  readonly #log: Log
  readonly #print: ((line: string) => void) | undefined

  /** @param print gets each text once, with its operation, where nobody reads the log */
  constructor(validators: Pick<Validators, 'suspects'>, log: Log, print?: (line: string) => void) {
    this.#validators = validators
    this.#log = log
    this.#print = print
  }

  /**
   * Returns the text of a warning for the response, if there is one, and logs what is new in it.
   * @param notes what was noted while the request was worked on
   */
  warn(
    operation: Operation,
    body: JsonValue,
    { suspects, unanswered } = new RequestNotes(),
  ): string | undefined {
    const found = [...this.#validators.suspects(operation, body), ...suspects]
    for (const { logged: member, problem } of found) {
      if (this.#isNew(`${operation.id} ${member}`))
        this.#log.warn(events[problem], { operation: operation.id, member })
    }
    const texts = problems.flatMap(problem => {
      const named = found.filter(one => one.problem === problem).map(({ text }) => text)
      return named.length > 0 ? `${wordsOf[problem]}: ${named.join(', ')}` : []
    })
    if (unanswered.size > 0)
      texts.push(
        `neither an option (--formula-allow-origin) nor a test (dev.egress.respond) answers: ${[...unanswered].join(', ')}`,
      )
    if (texts.length === 0) return undefined
    const text = texts.join('; ')
    if (this.#print && this.#isNew(`${operation.id}: ${text}`)) this.#print(`${operation.id}: ${text}`)
    return text
  }

  #isNew(text: string): boolean {
    if (this.#known.has(text) || this.#known.size >= mostKnown) return false
    this.#known.add(text)
    return true
  }
}
