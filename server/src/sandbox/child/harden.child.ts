/// <reference types="ses" />
import './strip.child.ts'
import 'ses'

// Every option is named, so that no variable of the environment decides one.
lockdown({
  errorTaming: 'safe',
  // Formulas and modules give instances a name or a toString of their own, by assignment.
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
