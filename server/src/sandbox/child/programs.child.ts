/// <reference types="ses" />
import { type Inside, newCompartment } from './compartment.child.ts'

/** A CommonJS module: a function of `module`, `exports`, `require`, `__filename` and `__dirname`. */
export type Program = (...names: unknown[]) => unknown

const parameters = ['module', 'exports', 'require', '__filename', '__dirname'] as const

/** Compiles a program that sees the globals of a compartment, whose filters check the code first. */
export function compile(compartment: Compartment, code: string): Program {
  const { Function: Compile } = compartment.globalThis as { Function: FunctionConstructor }
  return new Compile(...parameters, code) as Program
}

/** Returns the compartment of one invocation. */
export function freshCompartment(inside: Inside): Compartment {
  const compartment = newCompartment({ ...inside.globals, ...inside.ownGlobals() })
  compartment.globalThis.global = compartment.globalThis
  return compartment
}

/**
 * Names by which code reaches the object of the globals, or compiles code that sees it; an escape can spell each of
 * them. `require` may load a module of the operator that changes the globals.
 */
const reachesGlobals = /\b(?:globalThis|global|eval|Function)\b|\\u/
const variable = /^[A-Za-z_$][\w$]*$/
const notVariables = new Set(['globalThis', 'global', 'eval', 'undefined', 'NaN', 'Infinity'])
const mostPrograms = 16

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
    const globals = harden(this.#compartment.globalThis) as Record<string, unknown>
    const names = Object.getOwnPropertyNames(globals).filter(
      name => variable.test(name) && !notVariables.has(name),
    )
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
    // Refuses what is not the body of a function, such as `}); f(); (() => {`.
    compile(this.#compartment, code)
    const own = Object.keys(this.#inside.ownGlobals())
    const around = [...own, ...this.#names].join(',')
    // The code begins in line 3, as in a function that `Function` compiles.
    return this.#compartment.evaluate(
      `(function(${around}){return (function anonymous(${parameters.join(',')}\n) {\n${code}\n})})`,
    ) as (...globals: unknown[]) => Program
  }
}
