/// <reference types="ses" />
import './strip.child.ts'
import 'ses'
import { allowOverrides } from './overrides.child.ts'

// All options are set, so that environment variables cannot change them.
repairIntrinsics({
  errorTaming: 'safe',
  // Formulas and modules assign name or toString to instances.
  overrideTaming: 'severe',
  localeTaming: 'unsafe',
  consoleTaming: 'unsafe',
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  evalTaming: 'safe-eval',
  regExpTaming: 'safe',
  domainTaming: 'safe',
  stackFiltering: 'concise',
  reporting: 'none',
  overrideDebug: [],
  legacyRegeneratorRuntimeTaming: 'safe',
  __hardenTaming__: 'safe',
})

// That of SES makes a stack that code cannot change, and axios before 1.7 does.
const { Error: SharedError } = new Compartment().globalThis as { Error: ErrorConstructor }
Object.defineProperty(SharedError, 'captureStackTrace', {
  value: (error: object): void => {
    Object.defineProperty(error, 'stack', { value: '', writable: true, configurable: true })
  },
  writable: true,
  configurable: true,
})

const classes = [Array, ArrayBuffer, DataView, Date, Map, Promise, RegExp, Set, Uint8Array, WeakMap, WeakSet]
for (const { prototype } of classes) allowOverrides(prototype)
hardenIntrinsics()
