/**
 * @module @surrogate/server
 * A tokenization server in this process: `createVault(options)`.
 */
export { BootstrapError } from './access/bootstrap.ts'
export type { NewTenant } from './access/tenant-settings.ts'
export type { VaultFacts } from './assembly/facts.ts'
export type { Log, LogFields, LogLevel } from './base/log.ts'
export { OperatorError } from './base/operator-error.ts'
export { CodeGenerationForbidden } from './contract/code-generation.ts'
export { UnreadableMasterKey } from './crypto/development-key.ts'
export {
  Dev,
  type DevApplication,
  DevAssertionError,
  type DevClock,
  type DevConsoleLine,
  DevError,
  type DevEvent,
  type DevLeakOptions,
  type DevLeakPlace,
  type DevLeakReport,
  type DevLeaks,
  type DevLeakWatch,
  type DevOptions,
  type DevRights,
  type DevTenant,
  type DevTenantClock,
  type DevTenantKeys,
  type DevWritable,
  type ExpectedRequest,
  hearConsoleOf,
  requestMatchers,
  type SilenceOptions,
} from './generated/dev-client/index.ts'
export type { Listening } from './http/transport/listener.ts'
export { ProfileError, VaultOptionsError } from './options/errors.ts'
export type { VaultOptions } from './options/vault-options.ts'
export {
  type FormulaOptions,
  type FormulaRun,
  type FormulaService,
  runFormula,
} from './run-formula.ts'
export { FormulaModuleRefused } from './sandbox/modules/bundle.ts'
export { IsolationMissing } from './sandbox/processes/isolation.ts'
export type { ConsoleLine, FormulaErrorName, Outcome } from './sandbox/sandbox.ts'
export { UnfinishedCopy, WrongMasterKey } from './storage/keys/keyring.ts'
export { DatabaseRefused, DataFolderRefused, UnknownStorage } from './storage/open.ts'
export { StoreUnavailable } from './storage/port/port.ts'
export { createVault, type Vault, type VaultClock, VaultClosed } from './vault.ts'
