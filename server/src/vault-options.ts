import type { NewTenant } from './access/tenants.ts'
import type { JsonValue } from './base/json.ts'
import type { Log } from './base/log.ts'
import type { Random } from './base/random.ts'
import type { SandboxParts } from './sandbox/create.ts'
import type { Isolation } from './sandbox/isolation.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { StorageLocation } from './storage/open.ts'
import type { Store } from './storage/port.ts'
import type { TokensContext } from './tokens/context.ts'
import type { Performer } from './webhooks/context.ts'
import type { Jobs } from './webhooks/webhooks.ts'

export const defaultAuditRetentionDays = 400

export interface VaultOptions {
  /** `memory:` (the default), `level:<folder>` or `postgres://…`. */
  readonly storage?: string
  /**
   * 32 bytes that wrap every tenant's keys. `memory:` makes its own; `level:` needs it unless `dev` is set;
   * `postgres:` always does, as it has no folder in which to keep one apart from the data.
   */
  readonly masterKey?: Uint8Array
  /** The content of a bootstrap file, parsed. */
  readonly bootstrap?: JsonValue
  /** The short name in `SVC-API-KEY` and the other header names. */
  readonly headerPrefix?: string
  /** Development endpoints, reasons in 403s, every response held against the contract, a schema made or raised. */
  readonly dev?: boolean
  /** One tenant whose keys are kept and told by `ready()`; by default under `dev` on a data folder. */
  readonly developmentTenant?: boolean
  /** Origins that browsers may call from; `*` is any. By default any under `dev`, none otherwise. */
  readonly corsOrigins?: readonly string[]
  /** Webhooks may go to http and to private addresses; otherwise to https and public ones only. */
  readonly allowPrivateCallbacks?: boolean
  /** Origins that formulas may fetch from, such as `https://api.example.com`; none by default. */
  readonly formulaAllowOrigins?: readonly string[]
  /** Packages that formulas may require, found from the working directory. */
  readonly formulaModules?: readonly string[]
  /** Refuses to start on a host that lacks a layer which holds the processes of formulas. */
  readonly requireIsolation?: boolean
  /** Gets the processes of formulas ready when the first port is open, not when the first formula runs. */
  readonly warmFormulas?: boolean
  /** For how many days entries of the audit log are kept: 400 by default, 1 at least. */
  readonly auditRetentionDays?: number
  readonly log?: Log
  /** The time this vault starts from, in epoch milliseconds; by default the store's, or else the real time. */
  readonly now?: () => number
}

/** What a start has to tell the operator. */
export interface VaultFacts {
  /** The tenant whose keys are kept across restarts, where there is one. */
  readonly development?: NewTenant
  /** The file in which a development master key was made just now. */
  readonly madeMasterKey?: string
  /** The file that the master key is kept in, where it was not given. */
  readonly masterKeyFile?: string
  /** Where formulas were to be made ready: what holds their processes, or `none` where none can be started. */
  readonly isolation?: Promise<Isolation | 'none'>
}

/** What a vault is made of, for whoever brings a store of their own or needs one that fails. */
export interface VaultParts {
  readonly openStore?: (location: StorageLocation, migrate?: boolean) => Promise<Store>
  readonly random?: Random
  /** Milliseconds by which requests notice that they hold up others. */
  readonly monotonicMs?: () => number
  /** What runs asynchronous invocations. */
  readonly performer?: Performer
  /** What formulas run in. The vault closes it. */
  readonly sandbox?: Sandbox
  /** What a test replaces in the sandbox of the vault. */
  readonly sandboxParts?: SandboxParts
  /** Keeps asynchronous invocations, given what runs them and shows their tokens. */
  readonly jobs?: (performer: Performer, tokens: TokensContext) => Jobs
}

/** A vault that cannot start as it was told to. */
export class VaultOptionsError extends Error {
  override readonly name = 'VaultOptionsError'
}
