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

const classes = [Array, ArrayBuffer, DataView, Date, Map, Promise, RegExp, Set, Uint8Array, WeakMap, WeakSet]
for (const { prototype } of classes) allowOverrides(prototype)
hardenIntrinsics()
