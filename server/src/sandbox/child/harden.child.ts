/// <reference types="ses" />
import './strip.child.ts'
import 'ses'

// All options are set, so that environment variables cannot change them.
lockdown({
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
