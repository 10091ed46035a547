/// <reference types="ses" />

import { clientModule, formulaModules, imitatedModules, nodeModules } from '../modules/module-names.ts'
import type { Report, RunnerLimits } from '../protocol/messages.ts'
import { type Inside, named } from './compartment.child.ts'
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
import { refuseUndeclared, undeclaredIn } from './undeclared.child.ts'

/** All that a process keeps for its formulas. */
export interface Runtime {
  readonly inside: Inside
  readonly modules: ReadonlyMap<string, string>
  /** Programs that export modules of Node: those that need only the globals of formulas, and those that need a system. */
  readonly node: string
  readonly imitations: string
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
  const { inside, limits } = runtime
  let own: Compartment | undefined
  const compartment = () => {
    own ??= freshCompartment(inside)
    return own
  }
  const load = loader(compartment, runtime)
  const exported = runModule(programOf(work.code, runtime, compartment), load)
  if (typeof exported !== 'function') {
    throw new Unusable('the formula exports no function: module.exports must be a function')
  }
  const isAdapted = runtime.modules.has(clientModule) && Object.values(work.clients).some(Boolean)
  const clients = isAdapted ? adapt(work.clients, load, inside) : work.clients
  const request = { args: work.args, configuration: work.configuration, ...clients }
  const answer = await Reflect.apply(exported, undefined, [request])
  return answerJson(answer, limits)
}

/** Returns the clients behind the operator's adapter. @throws {Unusable} */
function adapt(clients: Work['clients'], load: (name: unknown) => unknown, { spelling }: Inside) {
  const adapter = load(clientModule)
  if (typeof adapter !== 'function') throw new Unusable('the formula client exports no function')
  const adapted = Object.entries(clients).map(([name, client]) => [name, adapter(client, spelling)])
  return Object.fromEntries(adapted)
}

/** @throws {Unusable} */
function programOf(given: string, runtime: Runtime, compartment: () => Compartment): Program {
  const { programs, rewriter, modules, node, imitations } = runtime
  const code = given.replace(/^#!/, '//')
  const compileAlone = (text: string) => {
    refuseUndeclared(compartment().globalThis, undeclaredIn(text, [...modules.values(), node, imitations]))
    return compileSloppy(compartment(), text)
  }
  const compiled = (text: string) => programs.get(text) ?? compileAlone(text)
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
function loader(compartment: () => Compartment, { inside, modules, node, imitations }: Runtime) {
  const loaded = new Map<string, unknown>()
  const run = (code: string, name: string, from: typeof load) =>
    runModule(compile(compartment(), named(code, name)), from)
  const load = (name: unknown): unknown => {
    const key = `${name}`
    if (Object.hasOwn(inside.modules, key)) return inside.modules[key]
    const text = modules.get(key)
    // With and without its prefix, a module of Node is the same.
    const bare = text === undefined ? key.replace(/^node:/, '') : key
    if (loaded.has(bare)) return loaded.get(bare)
    const value = text === undefined ? ofNode(key, bare) : run(text, key, load)
    loaded.set(bare, value)
    return value
  }
  const loadOfHost = (name: unknown): unknown =>
    Object.hasOwn(inside.hostModules, `${name}`) ? inside.hostModules[`${name}`] : load(name)
  /** The modules of a program are evaluated together, once for each invocation. */
  const once = (code: string, name: string) => {
    let exported: { readonly modules: Readonly<Record<string, unknown>> } | undefined
    return (key: string) => {
      exported ??= run(code, name, loadOfHost) as typeof exported
      return exported?.modules[key]
    }
  }
  const nodeModule = once(node, 'node.js')
  const imitatedModule = once(imitations, 'imitations.js')
  const ofNode = (key: string, bare: string): unknown => {
    if (nodeModules.some(one => one === bare)) return nodeModule(bare)
    if (imitatedModules.some(one => one === bare)) return imitatedModule(bare)
    const shown =
      /^(node:)?(@[\w.-]+\/)?\w[\w.-]*(\/[\w.-]+)*$/.test(key) && key.length <= 100
        ? `the module ${key}`
        : 'this module'
    const allowed = [...formulaModules, ...modules.keys()].filter(one => one !== clientModule)
    throw new TypeError(`${shown} is not available; the available ones are: ${allowed.join(', ')}`)
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
  // What acorn and V8 say of the syntax of modules.
  if (/'import' and 'export'|import statement|token 'export'/.test(message)) {
    const [where = ''] = / \(\d+:\d+\)$/.exec(message) ?? []
    return `the code does not compile: a formula is CommonJS; write module.exports = async req => …, and require() in place of import${where}`
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
