import { formulaErrors as names } from '../../protocol/messages.ts'

/**
 * The module `@surrogate/formula-errors`. The argument of a constructor becomes `errors`, a map from paths to
 * messages. Instances are recognized by a private field, so only these classes and their subclasses can create them.
 */
type Errors = Record<string, string[]>

const most = 100
const longest = 1_000

class FormulaError extends Error {
  readonly #kind: string
  readonly #given: unknown

  constructor(kind: string, given: unknown) {
    super(messageOf(given))
    this.#kind = kind
    this.#given = given
    // An own, writable property: subclasses assign their name.
    Object.defineProperty(this, 'name', { value: kind, configurable: true, writable: true })
  }

  static read(value: unknown): { kind: string; given: unknown } | undefined {
    const isOne = (one: unknown): one is FormulaError =>
      typeof one === 'object' && one !== null && #kind in one
    return isOne(value) ? { kind: value.#kind, given: value.#given } : undefined
  }
}

const classOf = (kind: string) => {
  const made = {
    [kind]: class extends FormulaError {
      constructor(errors?: unknown) {
        super(kind, errors)
      }
    },
  }
  return made[kind]
}

export const formulaErrors = {
  ...Object.fromEntries(Object.keys(names).map(name => [name, classOf(name)])),
  CustomHttpResponseError: class CustomHttpResponseError extends FormulaError {
    constructor(response?: unknown) {
      super('CustomHttpResponseError', response)
    }
  },
}

/** Returns the contents of a thrown formula error; `undefined` for any other value. */
export function readFormulaError(
  value: unknown,
): { kind: string; errors?: Errors; response?: unknown } | undefined {
  const found = FormulaError.read(value)
  if (!found) return undefined
  const { kind, given } = found
  return kind === 'CustomHttpResponseError' ? { kind, response: given } : { kind, errors: errorsOf(given) }
}

function errorsOf(given: unknown): Errors {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'object') return { error: [textOf(given)] }
  if (given instanceof Error) return { error: [textOf(given.message)] }
  if (Array.isArray(given)) return { error: given.slice(0, most).map(textOf) }
  const errors = Object.entries(given)
    .slice(0, most)
    .map(([path, messages]) => {
      const list = Array.isArray(messages) ? messages.slice(0, most) : [messages]
      return [path.slice(0, 200), list.map(textOf)] as const
    })
  // `Object.fromEntries` defines members: assigning to a path named `__proto__` would set the prototype.
  return Object.fromEntries(errors)
}

function textOf(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : `${String(value)}`
  return `${text}`.slice(0, longest)
}

function messageOf(given: unknown): string {
  if (typeof given === 'string') return given
  return given instanceof Error ? `${given.message}` : ''
}
