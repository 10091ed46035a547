/// <reference types="ses" />
import type { BootHeader } from '../messages.ts'
import { bridge } from './bridge.child.ts'
import { natives } from './natives.child.ts'

/** What `inside/main.child.ts` gives, evaluated in its compartment. */
export interface Inside {
  readonly globals: Record<string, unknown>
  freshGlobals(): Record<string, unknown>
  readonly modules: Readonly<Record<string, unknown>>
  createClient(client: unknown, headerPrefix: string): object
  readFormulaError(
    value: unknown,
  ): { kind: string; errors?: Record<string, string[]>; response?: unknown } | undefined
}

/** Intrinsics that SES gives to the start compartment alone. Its clock is a formula's clock too. */
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

/** Not for formulas: they need no compartments, and what they harden by mistake may be theirs alone. */
const withheld = { Compartment: undefined, ModuleSource: undefined, lockdown: undefined }

export const newCompartment = (globals: Record<string, unknown>) =>
  new Compartment({ globals: { ...intrinsics, ...withheld, ...globals }, __options__: true })

/** Evaluates the shared classes and the client, and hardens all that formulas will reach of them. */
export function layGround(header: BootHeader, classes: string, client: string) {
  harden(intrinsics)
  harden(natives)
  harden(bridge)
  const compartment = newCompartment({ __natives: natives, __bridge: bridge })
  const inside = compartment.evaluate(classes) as Inside
  Object.assign(compartment.globalThis, inside.globals)
  const clientModule = compartment.evaluate(client) as object
  hardenInstance(inside.createClient(clientModule, header.headerPrefix))
  // What a bundle exports stands behind getters, which hardening does not look behind.
  for (const exported of [inside, clientModule]) {
    for (const value of Object.values(exported)) harden(value)
    harden(exported)
  }
  harden(compartment.globalThis)
  return { inside, clientModule }
}

/** Classes that only an instance leads to: of the client's resources, for one. */
function hardenInstance(instance: object): void {
  for (const value of [instance, ...Object.values(instance)]) {
    if (typeof value === 'object' && value !== null) harden(Object.getPrototypeOf(value))
  }
}
