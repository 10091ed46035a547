/**
 * The globals and modules of formulas: classes that use the host only through `host.child.ts`. Evaluated once for
 * each process in a separate compartment, then hardened. Objects that an invocation may change are created anew.
 */

import { atob, Buffer, btoa } from './buffer.child.ts'
import { compression } from './compression.child.ts'
import { createConsole } from './console.child.ts'
import { crypto, cryptoPrototypes, nodeCrypto } from './crypto.child.ts'
import { AbortController, AbortSignal, DOMException, Event, EventTarget } from './event.child.ts'
import { fetch, serviceFetch, serviceOrigin } from './fetch.child.ts'
import { formulaErrors, readFormulaError } from './formula-errors.child.ts'
import { Headers } from './headers.child.ts'
import { bridge, natives } from './host.child.ts'
import { Request, Response } from './http.child.ts'
import { CryptoKey } from './keys.child.ts'
import { createProcess, sharedOfProcess } from './process.child.ts'
import { spelling } from './spelling.child.ts'
import { TextDecoder, TextEncoder } from './text-coding.child.ts'
import { URL, URLSearchParams } from './url.child.ts'

type Callback = (...values: unknown[]) => void

function bound(callback: unknown, values: readonly unknown[]): () => void {
  if (typeof callback !== 'function') throw new TypeError('a callback must be a function')
  return () => Reflect.apply(callback, undefined, values)
}

const timers = {
  setTimeout: (callback: Callback, ms?: unknown, ...values: unknown[]) =>
    bridge.setTimer(bound(callback, values), Number(ms ?? 0), false),
  setInterval: (callback: Callback, ms?: unknown, ...values: unknown[]) =>
    bridge.setTimer(bound(callback, values), Number(ms ?? 0), true),
  setImmediate: (callback: Callback, ...values: unknown[]) =>
    bridge.setTimer(bound(callback, values), 0, false),
  clearTimeout: (id: unknown) => bridge.clearTimer(id),
  clearInterval: (id: unknown) => bridge.clearTimer(id),
  clearImmediate: (id: unknown) => bridge.clearTimer(id),
  queueMicrotask: (callback: Callback) => bridge.soon(bound(callback, [])),
}

const structuredClone = (value: unknown) => {
  const clone = natives.clone(value)
  if (!clone) throw new TypeError('the value cannot be cloned')
  return clone[0]
}

export const globals = {
  ...timers,
  AbortController,
  AbortSignal,
  atob,
  btoa,
  Buffer,
  crypto,
  CryptoKey,
  DOMException,
  Event,
  EventTarget,
  fetch,
  Headers,
  performance: { now: () => natives.now() },
  Request,
  Response,
  structuredClone,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
}

// Packages recognize objects by it: axios would send a `URLSearchParams` as `{}`.
for (const [name, { prototype }] of Object.entries(
  globals as unknown as Record<string, { prototype?: object }>,
)) {
  if (!prototype || !/^[A-Z]/.test(name) || Symbol.toStringTag in prototype) continue
  Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true })
}

const nextTick = (callback: Callback, ...values: unknown[]): void => bridge.soon(bound(callback, values))

/** Returns the globals that one formula may change. */
export function ownGlobals(): Record<string, unknown> {
  return {
    console: createConsole(),
    fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
    process: createProcess(nextTick),
  }
}

const longestBuffer = 2 ** 31 - 1
const nodeBuffer = {
  Buffer,
  SlowBuffer: Buffer,
  constants: { MAX_LENGTH: longestBuffer },
  kMaxLength: longestBuffer,
}

/** The modules that every formula may require, without those that are evaluated anew for each invocation. */
export const modules: Readonly<Record<string, unknown>> = {
  '@surrogate/formula-errors': formulaErrors,
  buffer: nodeBuffer,
  crypto: nodeCrypto,
  'node:buffer': nodeBuffer,
  'node:crypto': nodeCrypto,
}

/** Modules of the programs of Node's modules, not of formulas: functions of the host behind their own names. */
export const hostModules: Readonly<Record<string, unknown>> = { 'host:compression': { compression } }

/** The exports of the SDK's bundle. */
interface ClientModule {
  readonly Surrogate: new (options: object) => object
}

/** Creates a client whose requests the host performs; the API key is a placeholder. */
export function createClient({ Surrogate }: ClientModule, headerPrefix: string): object {
  return new Surrogate({
    apiKey: 'bound-by-the-host',
    baseUrl: serviceOrigin,
    headerPrefix,
    fetch: serviceFetch,
    // There is no console here; the server logs its warnings itself.
    logLevel: 'off',
  })
}

/** Shared objects that must be hardened and are not reachable through the other exports. */
export const shared = [...cryptoPrototypes, sharedOfProcess, nextTick]
export { readFormulaError, spelling }
