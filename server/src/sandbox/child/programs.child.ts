/// <reference types="ses" />
import { type Inside, newCompartment } from './compartment.child.ts'
import { namesBehindTypeof, refuseUndeclared } from './undeclared.child.ts'

/** A CommonJS module: a function of `module`, `exports`, `require`, `__filename` and `__dirname`. */
export type Program = (...names: unknown[]) => unknown

const parameters = ['module', 'exports', 'require', '__filename', '__dirname'] as const

/** The line in which the code of a program begins is the third, as in a function that `Function` compiles. */
const programText = (code: string) => `(function anonymous(${parameters.join(',')}\n) {\n${code}\n})`

/**
 * Compiles a program that sees the globals of a compartment, whose filters check the code first. Refuses what is not the
 * body of a function, such as `}); f(); (() => {`.
 */
export function compile(compartment: Compartment, code: string): Program {
  const { Function: Compile } = compartment.globalThis as { Function: FunctionConstructor }
  return new Compile(...parameters, code) as Program
}

/**
 * Like `compile`, for code that may assign to names it has not declared: they become globals. Not if it calls `eval`,
 * which SES refuses then.
 */
export function compileSloppy(compartment: Compartment, code: string): Program {
  const strict = compile(compartment, code)
  if (/\beval\b/.test(code)) return strict
  return compartment.evaluate(programText(code), { sloppyGlobalsMode: true } as object) as Program
}

/** Returns the compartment of one invocation. */
export function freshCompartment(inside: Inside): Compartment {
  const compartment = newCompartment({ ...inside.globals, ...inside.ownGlobals() })
  compartment.globalThis.global = compartment.globalThis
  compartment.globalThis.self = compartment.globalThis
  return compartment
}

/**
 * Names by which code reaches the object of the globals, or compiles code that sees it; an escape can spell each of
 * them. `require` may load a module of the operator that changes the globals.
 */
const reachesGlobals = /\b(?:globalThis|global|self|eval|Function)\b|\\u/
const variable = /^[A-Za-z_$][\w$]*$/
/** A name before an operator that assigns, behind one that counts, or in the head of a loop. */
const assignment =
  /(?<![\w$.#])([A-Za-z_$][\w$]*)\s*(?:=(?![=>])|\+\+|--|(?:\*\*|<<|>>>?|&&|\|\||\?\?|[-+*/%&|^])=(?!=))|(?:\+\+|--)\s*([A-Za-z_$][\w$]*)|\bfor\s*\(\s*([A-Za-z_$][\w$]*)\s+(?:in|of)\b/g
const reserved = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
   finally for function if implements import in instanceof interface let new null package private protected public
   return static super switch this throw true try typeof var void while with yield`.split(/\s+/),
)
const mostAssigned = 200
const notVariables = new Set(['globalThis', 'global', 'eval', 'undefined', 'NaN', 'Infinity'])
const mostPrograms = 16

/**
 * Returns the names that code may assign to, also those that it declares itself. Sloppy mode makes variables of the
 * others, outside of the program.
 */
function assignedNames(code: string): string[] {
  const names = new Set<string>()
  for (const [, before, behind, loop] of code.matchAll(assignment)) {
    const name = before ?? behind ?? loop ?? ''
    if (!reserved.has(name)) names.add(name)
    if (names.size === mostAssigned) break
  }
  return [...names]
}

/**
 * Compiles a program once for all invocations of a process. The globals are variables of a function around it, which
 * each invocation calls anew, so it can assign to them and leaves nothing behind. A compartment takes ten times as
 * long as a short formula; code that can reach the object of the globals still gets a fresh one.
 */
export class SharedPrograms {
  readonly #inside: Inside
  readonly #hasModules: boolean
  readonly #compartment: Compartment
  readonly #names: readonly string[]
  readonly #values: readonly unknown[]
  readonly #programs = new Map<string, (...globals: unknown[]) => Program>()

  constructor(inside: Inside, hasModules: boolean) {
    this.#inside = inside
    this.#hasModules = hasModules
    this.#compartment = newCompartment({ ...inside.globals })
    // Programs are given those of `typeof` as variables, and none can reach the object of the globals.
    refuseUndeclared(this.#compartment.globalThis, () => true)
    const globals = harden(this.#compartment.globalThis) as Record<string, unknown>
    const own = new Set([...notVariables, ...Object.keys(inside.ownGlobals())])
    const names = Object.getOwnPropertyNames(globals).filter(name => variable.test(name) && !own.has(name))
    this.#values = names.map(name => globals[name])
    this.#names = names
  }

  /** Returns the program for one invocation, or `undefined` if the code needs a compartment of its own. */
  get(code: string): Program | undefined {
    let around = this.#programs.get(code)
    if (!around) {
      if (reachesGlobals.test(code) || (this.#hasModules && code.includes('require'))) return undefined
      around = this.#compile(code)
    }
    // The last in use stay.
    this.#programs.delete(code)
    this.#programs.set(code, around)
    if (this.#programs.size > mostPrograms) {
      for (const oldest of this.#programs.keys()) {
        this.#programs.delete(oldest)
        break
      }
    }
    return around(...Object.values(this.#inside.ownGlobals()), ...this.#values)
  }

  #compile(code: string): (...globals: unknown[]) => Program {
    compile(this.#compartment, code)
    const own = Object.keys(this.#inside.ownGlobals())
    const known = new Set([...own, ...this.#names, ...parameters])
    const outer = new Set([...assignedNames(code), ...namesBehindTypeof(code)])
    const unknown = [...outer].filter(name => ![known, reserved, notVariables].some(set => set.has(name)))
    const variables = unknown.length > 0 ? `let ${unknown.join(',')};` : ''
    return this.#compartment.evaluate(
      `(function(${[...own, ...this.#names].join(',')}){${variables}return ${programText(code)}})`,
    ) as (...globals: unknown[]) => Program
  }
}
