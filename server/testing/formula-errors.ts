import type { FormulaErrorName } from '../sandbox/sandbox.ts'

const names: readonly FormulaErrorName[] = [
  'BadRequestError',
  'AuthenticationError',
  'InvalidPaymentMethodError',
  'AuthorizationError',
  'RateLimitError',
  'ReactorRuntimeError',
  'InvalidReactorConfigurationError',
]

/** `@surrogate/formula-errors` for the stand-in: each error says in `sort` what became of it. */
export function formulaErrors() {
  const classes = names.map(name => {
    const make = class extends Error {
      readonly sort = 'refused'
      readonly error = name
      readonly errors: Record<string, string[]>
      constructor(given?: unknown) {
        super(typeof given === 'string' ? given : name)
        this.errors = errorsOf(given)
      }
    }
    return [name, make]
  })
  class CustomHttpResponseError extends Error {
    readonly sort = 'custom'
    readonly response: unknown
    constructor(response: unknown) {
      super('custom')
      this.response = response
    }
  }
  return { ...Object.fromEntries(classes), CustomHttpResponseError }
}

function errorsOf(given: unknown): Record<string, string[]> {
  if (given === undefined || given === null) return {}
  if (typeof given === 'string') return { error: [given] }
  if (Array.isArray(given)) return { error: given.map(String) }
  if (typeof given === 'object' && 'message' in given) return { error: [String(given.message)] }
  return Object.fromEntries(
    Object.entries(given).map(([path, messages]) => [path, [messages].flat().map(String)]),
  )
}
