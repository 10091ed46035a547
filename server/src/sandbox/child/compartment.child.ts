/// <reference types="ses" />
import type { BootHeader } from '../protocol/messages.ts'
import { bridge } from './invocation.child.ts'
import { natives } from './natives.child.ts'
import { allowOverrides } from './overrides.child.ts'

/** The exports of `inside/main.child.ts`, evaluated in its compartment. */
export interface Inside {
  readonly globals: Record<string, unknown>
  ownGlobals(): Record<string, unknown>
  readonly modules: Readonly<Record<string, unknown>>
  /** For the programs of Node's modules. */
  readonly hostModules: Readonly<Record<string, unknown>>
  createClient(client: unknown, headerPrefix: string): object
  /** For the adapter of the client. */
  readonly spelling: object
  readFormulaError(
    value: unknown,
  ): { kind: string; errors?: Record<string, string[]>; response?: unknown } | undefined
}

/** Intrinsics that SES gives to the start compartment only. Formulas share its clock. */
export const intrinsics = {
  Date,
  Intl,
  Float32Array,
  Float64Array,
  Math: Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(Math),
      random: { value: () => natives.random(), writable: true, enumerable: false, configurable: true },
    },
  ),
}

/** Globals that formulas do not get. */
const withheld = { Compartment: undefined, ModuleSource: undefined, lockdown: undefined }

export const newCompartment = (globals: Record<string, unknown>) =>
  new Compartment({ globals: { ...intrinsics, ...withheld, ...globals }, __options__: true })

/** Returns code whose lines in a stack are not those of a formula. */
export const named = (code: string, name: string) => `${code}\n//# sourceURL=${name}`

/** Evaluates the shared classes and the client, and hardens everything that formulas can reach. */
export function createInside(header: BootHeader, classes: string, client: string) {
  harden(intrinsics)
  harden(natives)
  harden(bridge)
  const compartment = newCompartment({ __natives: natives, __bridge: bridge })
  const inside = compartment.evaluate(named(classes, 'classes.js')) as Inside
  Object.assign(compartment.globalThis, inside.globals)
  for (const made of Object.values(inside.globals)) if (isClass(made)) allowOverrides(made.prototype)
  const clientModule = compartment.evaluate(named(client, 'client.js')) as object
  hardenInstance(inside.createClient(clientModule, header.headerPrefix))
  // Bundles export through getters, and `harden` does not follow getters.
  for (const exported of [inside, clientModule]) {
    for (const value of Object.values(exported)) harden(value)
    harden(exported)
  }
  harden(compartment.globalThis)
  return { inside, clientModule }
}

const isClass = (value: unknown): value is { readonly prototype: object } =>
  typeof value === 'function' && typeof value.prototype === 'object'

/** Hardens classes that are only reachable through an instance, such as those of the client's resources. */
function hardenInstance(instance: object): void {
  for (const value of [instance, ...Object.values(instance)]) {
    if (typeof value === 'object' && value !== null) harden(Object.getPrototypeOf(value))
  }
}
