/**
 * @module @surrogate/server
 * A tokenization server in this process: `createVault(options)`.
 */
export type { NewTenant } from './access/tenants.ts'
export type { Log, LogFields } from './base/log.ts'
export type { Listening } from './http/listener.ts'
export { FormulaModuleRefused } from './sandbox/modules.ts'
export {
  type FormulaOptions,
  type FormulaRun,
  type FormulaService,
  runFormula,
} from './sandbox/run-formula.ts'
export type { ConsoleLine, FormulaErrorName, Outcome } from './sandbox/sandbox.ts'
export { createVault, type Vault, type VaultClock } from './vault.ts'
export { type VaultFacts, type VaultOptions, VaultOptionsError } from './vault-options.ts'
