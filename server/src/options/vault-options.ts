import type { JsonValue } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import { unknownName } from '../base/near-names.ts'
import type { Dialect } from '../contract/dialect.ts'
import { VaultOptionsError } from './errors.ts'

export const defaultAuditRetentionDays = 400

export interface VaultOptions {
  /** `memory:` (the default), `level:<folder>` or `postgres://…`. */
  readonly storage?: string
  /**
   * 32 bytes that wrap every tenant's keys. `memory:` makes its own. `level:` needs one unless `dev` is set;
   * `postgres:` always needs one, as it has no folder to keep a key in.
   */
  readonly masterKey?: Uint8Array
  /** The content of a bootstrap file, parsed. */
  readonly bootstrap?: JsonValue
  /** A YAML file that makes code written for another service run; an option that is given here counts more. */
  readonly profile?: string
  /** From the profile. @internal */
  readonly dialect?: Dialect
  /** The short name in `SVC-API-KEY` and the other header names. */
  readonly headerPrefix?: string
  /** Opens development endpoints, gives reasons in 403s, checks every response and migrates the database. */
  readonly dev?: boolean
  /** Requests to `/_dev` must have it as `Authorization: Bearer …`. Without it they must name this machine as host. */
  readonly devToken?: string
  /** Refuses with 400 what a development server warns of, such as a member of a request that the contract does not name. */
  readonly strict?: boolean
  /** Makes one tenant whose keys are kept, and returned by `ready()`. By default under `dev` if data is kept. */
  readonly developmentTenant?: boolean
  /** Origins that browsers may call from; `*` is any. By default any under `dev`, none otherwise. */
  readonly corsOrigins?: readonly string[]
  /** Addresses and networks, such as `10.0.0.0/8`, of proxies whose header says which client sent a request. */
  readonly trustedProxies?: readonly string[]
  /** Allows webhooks to http and to private addresses; otherwise only https and public addresses are allowed. */
  readonly allowPrivateCallbacks?: boolean
  /** Origins that formulas may fetch from, such as `https://api.example.com`; none by default. */
  readonly formulaAllowOrigins?: readonly string[]
  /** Sends what formulas fetch from an origin to another, such as `{ 'https://api.example.com': 'http://localhost:9000' }`. */
  readonly formulaMapOrigins?: Readonly<Record<string, string>>
  /** Origins that requests to `/proxy` may be sent on to; without one of these two options there is no such path. */
  readonly proxyAllowOrigins?: readonly string[]
  /** Sends what is meant for an origin to another, which may be private, such as `{ 'https://api.example.com': 'http://localhost:9000' }`. */
  readonly proxyMapOrigins?: Readonly<Record<string, string>>
  /** Packages that formulas may require, resolved from the working directory. */
  readonly formulaModules?: readonly string[]
  /** A file that exports a function of the client, whose result formulas get instead of the client. */
  readonly formulaClient?: string
  /** Refuses to start on a host that lacks one of the layers that isolate the processes of formulas. */
  readonly requireIsolation?: boolean
  /** Starts the processes of formulas when the first port is open, not when the first formula runs. */
  readonly warmFormulas?: boolean
  /** For how many days entries of the audit log are kept: 400 by default, 1 at least. */
  readonly auditRetentionDays?: number
  /** Keeps metrics, which `listenForMetrics` shows. */
  readonly metrics?: boolean
  /** Gets a line for each request, unless its member `level` is `warn` or `error`. */
  readonly log?: Log
  /**
   * Makes ids, keys, aliases and times the same in each run, for snapshot tests. Needs `dev` and `memory:`. Time stands
   * still at 2030-01-01T00:00:00Z, until `now` or a clock says otherwise.
   */
  readonly seed?: number
  /** Returns the time in epoch milliseconds; by default the time of the database, or else of this machine. */
  readonly now?: () => number
}

/** @throws {VaultOptionsError} if a member is not one of `names` */
export function refuseUnknown(options: object, names: readonly string[]): void {
  const unknown = unknownName(options, names)
  if (unknown !== undefined) throw new VaultOptionsError(unknown)
}
