import { createContext, Script } from 'node:vm'
import { Surrogate } from '../../sdk/index.ts'
import type { JsonValue } from '../base/json.ts'
import type { FormulaErrorName, Invocation, Outcome, Sandbox, ServiceTransport } from '../sandbox/sandbox.ts'
import { formulaErrors } from './formula-errors.ts'

/**
 * Evaluates formulas in this process, for tests of what stands around the sandbox. It keeps nothing from
 * anything: no server is given this.
 */
export function evaluateHere(): Sandbox {
  return { run, close: async () => {} }
}

const mostBytes = 5 * 1024 * 1024

async function run(invocation: Invocation): Promise<Outcome> {
  const errors = formulaErrors()
  const module = { exports: {} as unknown }
  const context = createContext({
    module,
    exports: module.exports,
    console: consoleOf(invocation),
    require: (name: string) => {
      if (name === '@surrogate/formula-errors') return errors
      throw new Error('there is no such module here')
    },
  })
  try {
    // Parsed apart: what does not compile is another outcome than what fails.
    new Script(`(function () {${invocation.code}\n})`)
  } catch {
    return { kind: 'unusable', detail: 'the formula code does not compile' }
  }
  try {
    new Script(`(function () {${invocation.code}\n})()`).runInContext(context, {
      timeout: invocation.timeoutMs,
    })
    if (typeof module.exports !== 'function')
      return { kind: 'unusable', detail: 'the formula code exports no function' }
    const request = {
      args: structuredClone(invocation.args),
      configuration: { ...invocation.configuration },
      svc: invocation.svc && clientOver(invocation.svc),
    }
    return answered(await within(invocation.timeoutMs, module.exports(request)))
  } catch (error) {
    return thrown(error)
  }
}

class TooLate extends Error {}

async function within<T>(ms: number, work: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate()), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function answered(answer: unknown): Outcome {
  if (answer === undefined || answer === null) return { kind: 'answered' }
  if (typeof answer !== 'object' || Array.isArray(answer))
    return {
      kind: 'failed',
      reason: 'shape',
      detail: 'the formula must return an object with raw or tokenize',
    }
  let text: string
  try {
    text = JSON.stringify(answer, (_, value) => {
      if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError()
      return value
    })
  } catch {
    return { kind: 'failed', reason: 'shape', detail: 'the formula returned what is not JSON' }
  }
  if (text.length > mostBytes)
    return { kind: 'failed', reason: 'output', detail: `the formula returned more than ${mostBytes} bytes` }
  const { raw, tokenize } = JSON.parse(text)
  return {
    kind: 'answered',
    ...(raw === undefined ? {} : { raw }),
    ...(tokenize === undefined ? {} : { tokenize }),
  }
}

function thrown(error: unknown): Outcome {
  if (error instanceof TooLate || (error as { code?: unknown })?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
    return { kind: 'failed', reason: 'time', detail: 'the formula ran out of time' }
  const known = error as { sort?: unknown; error: FormulaErrorName; errors: Record<string, string[]> }
  if (known?.sort === 'refused') return { kind: 'refused', error: known.error, errors: known.errors }
  if (known?.sort === 'custom') return custom((error as { response: Chosen }).response)
  return { kind: 'failed', reason: 'threw', detail: 'the formula threw an error' }
}

interface Chosen {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: JsonValue
}

function custom({ status, headers = {}, body }: Chosen): Outcome {
  const names = Object.keys(headers).map(name => name.toLowerCase())
  const allowed = names.every(name => name === 'content-type' || name.startsWith('x-'))
  const bodiless = [204, 205, 304].includes(status) && body !== undefined
  if (!Number.isInteger(status) || status < 200 || status > 599 || !allowed || bodiless)
    return {
      kind: 'failed',
      reason: 'shape',
      detail: 'CustomHttpResponseError was given what it does not take',
    }
  return { kind: 'custom', status, headers, ...(body === undefined ? {} : { body }) }
}

function consoleOf({ onConsole }: Invocation) {
  const at =
    (level: 'debug' | 'log' | 'info' | 'warn' | 'error') =>
    (...values: unknown[]) =>
      onConsole?.({ level, text: values.map(String).join(' ') })
  return { debug: at('debug'), log: at('log'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** The SDK, with a formula's own transport in the place of a network. */
function clientOver(transport: ServiceTransport): Surrogate {
  return new Surrogate({
    apiKey: 'none-enters-here',
    baseUrl: 'https://svc.invalid',
    maxRetries: 0,
    fetch: async request => {
      const { pathname, search } = new URL(request.url)
      const answer = await transport({
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        body: new Uint8Array(await request.arrayBuffer()),
      })
      const body = answer.body as string | Uint8Array<ArrayBuffer> | undefined
      return new Response(body ?? null, { status: answer.status, headers: answer.headers })
    },
  })
}
