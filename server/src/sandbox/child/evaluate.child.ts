/// <reference types="ses" />
import type { Report, RunnerLimits } from '../messages.ts'
import type { Inside } from './compartment.child.ts'
import { NotJson, toJson } from './json.child.ts'
import {
  compile,
  compileSloppy,
  freshCompartment,
  type Program,
  type SharedPrograms,
} from './programs.child.ts'
import type { Rewriter } from './rewriter.child.ts'
import { framesOf } from './thrown.child.ts'

/** All that a process keeps for its formulas. */
export interface Runtime {
  readonly inside: Inside
  readonly modules: ReadonlyMap<string, string>
  readonly programs: SharedPrograms
  readonly limits: RunnerLimits
  readonly rewriter: Rewriter
}

export interface Work {
  readonly code: string
  readonly args: unknown
  readonly configuration: unknown
  /** The client, or `null`, under each of its names. */
  readonly clients: Readonly<Record<string, unknown>>
}

/** Thrown if the code does not compile or exports no function. */
export class Unusable extends Error {}

/** Runs a formula with globals of its own and returns its answer as JSON. @throws any value that the formula throws */
export async function evaluate(work: Work, runtime: Runtime): Promise<string> {
  const { inside, modules, limits } = runtime
  let own: Compartment | undefined
  const compartment = () => {
    own ??= freshCompartment(inside)
    return own
  }
  const exported = runModule(programOf(work.code, runtime, compartment), loader(compartment, inside, modules))
  if (typeof exported !== 'function') {
    throw new Unusable('the formula exports no function: module.exports must be a function')
  }
  const request = { args: work.args, configuration: work.configuration, ...work.clients }
  return answerJson(await Reflect.apply(exported, undefined, [request]), limits)
}

/** @throws {Unusable} */
function programOf(given: string, { programs, rewriter }: Runtime, compartment: () => Compartment): Program {
  const code = given.replace(/^#!/, '//')
  const compiled = (text: string) => programs.get(text) ?? compileSloppy(compartment(), text)
  try {
    return compiled(rewriter.forFilters(code))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new Unusable(explainSyntax(error))
    try {
      return compiled(rewriter.forStrictMode(code))
    } catch (again) {
      throw new Unusable(explainSyntax(again, rewriter.lineOfError(code)))
    }
  }
}

function runModule(program: Program, load: (name: unknown) => unknown): unknown {
  const module: { exports: unknown } = { exports: {} }
  Reflect.apply(program, module.exports, [module, module.exports, load, '/formula.js', '/'])
  return module.exports
}

/** Returns `require`. Modules of the operator are evaluated anew for each invocation, so that they keep no state. */
function loader(compartment: () => Compartment, inside: Inside, modules: ReadonlyMap<string, string>) {
  const loaded = new Map<string, unknown>()
  const load = (name: unknown): unknown => {
    const key = `${name}`
    if (loaded.has(key)) return loaded.get(key)
    if (Object.hasOwn(inside.modules, key)) return inside.modules[key]
    const text = modules.get(key)
    if (text === undefined) {
      const allowed = ['@surrogate/formula-errors', 'buffer', 'crypto', 'url', ...modules.keys()]
      throw new TypeError(`this module is not available; the available ones are: ${allowed.join(', ')}`)
    }
    const value = runModule(compile(compartment(), `${text}\n//# sourceURL=module`), load)
    loaded.set(key, value)
    return value
  }
  return harden(load)
}

function answerJson(answer: unknown, { outputBytes }: RunnerLimits): string {
  if (typeof answer !== 'object' || answer === null) {
    throw new NotJson('shape', 'a formula must return an object with raw or tokenize')
  }
  const { raw, tokenize } = answer as { raw?: unknown; tokenize?: unknown }
  const isEmpty = raw === undefined && tokenize === undefined
  if (isEmpty && Reflect.ownKeys(answer).length > 0 && !('raw' in answer) && !('tokenize' in answer)) {
    throw new NotJson('shape', 'the object that the formula returned has neither raw nor tokenize')
  }
  const members: string[] = []
  let left = outputBytes
  for (const [name, value] of [['raw', raw] as const, ['tokenize', tokenize] as const]) {
    if (value === undefined) continue
    const text = toJson(value, left, name)
    left -= text.length
    members.push(`"${name}":${text}`)
  }
  return `{"kind":"answered"${members.map(member => `,${member}`).join('')}}`
}

/** Returns V8's message for code that does not compile, and our own where SES refuses it. */
function explainSyntax(error: unknown, line?: number): string {
  if (error instanceof RangeError) return 'the code does not compile: it is nested too deeply'
  const message = error instanceof Error ? error.message : ''
  if (/possible import expression/i.test(message)) {
    return 'the code does not compile: import() is not supported'
  }
  if (/possible html comment/i.test(message)) return 'the code does not compile: it contains an HTML comment'
  const place = line === undefined || /\(\d+:\d+\)$/.test(message) ? '' : ` at line ${line}`
  return `the code does not compile: ${message.slice(0, 200)}${place}`
}

const kinds = [
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'URIError',
  'EvalError',
  'AggregateError',
  'Error',
] as const

/** Returns the report for a thrown value. Never contains its message, which may quote data. */
export function explain(error: unknown, inside: Inside, limits: RunnerLimits): Report {
  try {
    if (error instanceof Unusable) return { kind: 'unusable', detail: error.message }
    if (error instanceof NotJson) return notJson(error, limits)
    const known = inside.readFormulaError(error)
    if (known?.kind === 'CustomHttpResponseError') {
      return {
        kind: 'custom',
        response: JSON.parse(toJson(known.response ?? null, limits.outputBytes, 'response')),
      }
    }
    if (known) {
      const errors = JSON.parse(toJson(known.errors ?? {}, limits.outputBytes, 'errors'))
      return { kind: 'refused', error: known.kind, errors }
    }
    const isOutOfMemory =
      error instanceof RangeError && /allocation failed|Invalid array buffer/i.test(error.message)
    if (isOutOfMemory) return { kind: 'failed', reason: 'memory', detail: 'the formula used too much memory' }
    const kind = kinds.find(name => error instanceof (globalThis[name] as ErrorConstructor))
    const what =
      kind === undefined ? 'a value that is not an Error' : /^[AE]/.test(kind) ? `an ${kind}` : `a ${kind}`
    return { kind: 'failed', reason: 'threw', detail: `the formula threw ${what}${lineOf(error)}` }
  } catch (other) {
    if (other instanceof NotJson) return notJson(other, limits)
    return { kind: 'failed', reason: 'threw', detail: 'the formula threw a value that cannot be inspected' }
  }
}

function notJson({ reason, message }: NotJson, { outputBytes }: RunnerLimits): Report {
  const detail = reason === 'output' ? `the output is longer than ${outputBytes} bytes` : message
  return { kind: 'failed', reason, detail }
}

/** Returns the line in the formula. */
function lineOf(error: unknown): string {
  const [innermost] = framesOf(error)
  return innermost ? ` at line ${innermost.line}` : ''
}
