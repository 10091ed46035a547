import { DevEgress } from './egress.ts'
import { type DevEvent, openEvents } from './events.ts'
import { DevFaults } from './faults.ts'
import {
  devApplicationsCreate,
  devClockAdvance,
  devConsoleList,
  devFixturesExport,
  devReset,
  devSettled,
  devSnapshotsCreate,
  devSnapshotsRestore,
  devTenantsCreate,
} from './generated/operations.gen.ts'
import type { DevApplicationRequest, DevConsoleLine, DevFixtures } from './generated/types.gen.ts'
import { DevInbox } from './inbox.ts'
import { type DevLeaks, leaks } from './leaks.ts'
import { DevMake } from './make.ts'
import { DevRequests } from './requests.ts'
import { misspeltIn } from './resembling.ts'
import { type DevOptions, type DevRequest, type DevSend, devRequest, devSend } from './send.ts'
import { DevSessions } from './sessions.ts'
import { type DevTenantClock, milliseconds, tenantClock } from './tenant-clock.ts'

/**
 * A new tenant and its keys.
 *
 * @example
 * ```ts
 * const tenant: DevTenantKeys = await dev.createTenant()
 * ```
 */
export interface DevTenantKeys {
  readonly tenantId: string
  /** Holds `token:create`. */
  readonly publicKey: string
  /** Holds every token permission on `/`, and reveals. */
  readonly privateKey: string
  /** Holds every permission of a management application. */
  readonly managementKey: string
  readonly webhookSecret: string
}

/**
 * A tenant that was made for a test: its keys, and what a test does with it.
 *
 * @example
 * ```ts
 * const tenant: DevTenant = await dev.createTenant()
 * await tenant.clock.advance('1h')
 * ```
 */
export interface DevTenant extends DevTenantKeys {
  /** The clock of this tenant alone. */
  readonly clock: DevTenantClock
  /** Creates an application of this tenant. */
  application(rights?: DevRights): Promise<DevApplication>
  /** Keeps all data and the time of this tenant, and returns the name to `restore`. */
  snapshot(name?: string): Promise<string>
  /** Puts all data and the time of this tenant back. */
  restore(name: string): Promise<void>
}

/**
 * An application that was made for a test: its key, and with it the options of a client.
 *
 * @example
 * ```ts
 * const application: DevApplication = await tenant.application({ permissions: ['token:read'] })
 * const surrogate = new Surrogate(application)
 * ```
 */
export interface DevApplication {
  readonly id: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly headerPrefix?: string
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/**
 * Rights of an application: with neither permissions nor rules, those of its type in a new tenant.
 *
 * @example
 * ```ts
 * const rights: DevRights = { type: 'public' }
 * ```
 */
export type DevRights = DevApplicationRequest

/**
 * What a development server does for tests. Made by `new Dev(options)` for a server that runs elsewhere; the same object
 * is `vault.dev` of a vault in this process.
 *
 * @example
 * ```ts
 * const dev = new Dev({ baseUrl: 'http://127.0.0.1:4000', managementKey: process.env.SURROGATE_MANAGEMENT_KEY })
 * await dev.clock.advance(3_600_000)
 * ```
 */
export class Dev {
  /** The clock of the server. */
  readonly clock: DevClock
  /** The clock of the tenant alone. It is ahead of the clock of the server by what it was moved. */
  readonly tenantClock: DevTenantClock
  /** Lets requests, deliveries and formulas of the tenant fail. */
  readonly faults: DevFaults
  /** The requests that came from the tenant. */
  readonly requests: DevRequests
  /** Answers what leaves the server for the tenant, in the place of its targets. */
  readonly egress: DevEgress
  /** Receives webhooks of the tenant. */
  readonly inbox: DevInbox
  /** Finds values of the tenant's tokens in logs, dumps and traffic. */
  readonly leaks: DevLeaks
  /** Makes data of tokens from published test numbers, the same in each run. Another seed: `new DevMake(42)`. */
  readonly make = new DevMake()
  /** The sessions of the tenant. */
  readonly sessions: DevSessions
  readonly #options: DevOptions
  readonly #request: DevRequest
  readonly #send: DevSend

  constructor(options: DevOptions) {
    const request = devRequest(options)
    const send = devSend(request)
    this.#options = options
    this.#request = request
    this.#send = send
    this.faults = new DevFaults(send)
    this.requests = new DevRequests(send)
    this.egress = new DevEgress(send, options.keepFunction)
    this.inbox = new DevInbox(send)
    this.clock = {
      advance: async by =>
        new Date((await send(devClockAdvance, { body: { advance_ms: milliseconds(by) } })).now),
    }
    this.tenantClock = tenantClock(send)
    this.leaks = leaks(send, options.filesIn)
    this.sessions = new DevSessions(send)
  }

  /** Returns the same for another tenant, named by its management key. */
  forTenant(tenant: { readonly managementKey: string }): Dev {
    const { managementKey } = tenant ?? {}
    if (typeof managementKey !== 'string')
      throw new TypeError(
        `forTenant takes a tenant, by its managementKey${misspeltIn(tenant, ['managementKey'])}`,
      )
    return devWith({ ...this.#options, managementKey })
  }

  /** Creates a tenant with one key of each type. */
  async createTenant(options: { readonly operator?: boolean } = {}): Promise<DevTenant> {
    const tenant = await this.#send(devTenantsCreate, { body: { ...options } })
    const own = this.forTenant({ managementKey: tenant.management_key })
    return {
      clock: own.tenantClock,
      application: rights => own.application(rights),
      snapshot: name => own.snapshot(name),
      restore: name => own.restore(name),
      tenantId: tenant.tenant_id,
      publicKey: tenant.public_key,
      privateKey: tenant.private_key,
      managementKey: tenant.management_key,
      webhookSecret: tenant.webhook_secret,
    }
  }

  /** Creates an application of the tenant. The result is the options of a client. */
  async application(rights: DevRights = {}): Promise<DevApplication> {
    const { baseUrl, headerPrefix, fetch } = this.#options
    const made = await this.#send(devApplicationsCreate, { body: { ...rights } })
    return {
      id: made.application_id,
      apiKey: made.key,
      baseUrl,
      ...(headerPrefix === undefined ? {} : { headerPrefix }),
      ...(fetch === undefined ? {} : { fetch }),
    }
  }

  /** Keeps all data and the time of the tenant, and returns the name to `restore`. Needs the storage `memory:`. */
  async snapshot(name?: string): Promise<string> {
    return (await this.#send(devSnapshotsCreate, { body: name === undefined ? {} : { name } })).name
  }

  /** Puts all data and the time of the tenant back. Other tenants are not affected. */
  async restore(name: string): Promise<void> {
    await this.#send(devSnapshotsRestore, { path: { id: name } })
  }

  /**
   * Writes the applications, formulas, reactors and tokens of the tenant as the content of a bootstrap file, from which a
   * server can be started: data is replaced by placeholders unless `values` is `plain`.
   */
  async export(options: { readonly values?: 'placeholders' | 'plain' } = {}): Promise<DevFixtures> {
    return this.#send(devFixturesExport, { query: { ...options } })
  }

  /** Deletes all data of all tenants, puts all clocks back to real time and applies the bootstrap file again. */
  async reset(): Promise<void> {
    await this.#send(devReset)
  }

  /**
   * Resolves when no request, job, delivery, sweep or formula is running or due, with the number of deliveries whose next
   * attempt lies ahead: move the clock for these.
   */
  async settled(): Promise<{ readonly later: number }> {
    return this.#send(devSettled)
  }

  /** Returns the last lines that the formula of a reactor printed, oldest first. */
  async console(reactorId: string): Promise<readonly DevConsoleLine[]> {
    return (await this.#send(devConsoleList, { path: { id: reactorId } })).data
  }

  /**
   * Opens a stream of what happens in the tenant from now on. Leave the loop to close it; the server ends it after five
   * minutes.
   *
   * @example
   * ```ts
   * for await (const { name, data } of await dev.events()) {
   *   if (name === 'request' && data.status === 403) break
   * }
   * ```
   */
  async events(): Promise<AsyncGenerator<DevEvent, void>> {
    return openEvents(this.#request)
  }
}

/** Outside of the class, as bundlers rename a class that names itself: it would be printed as `_Dev`. */
function devWith(options: DevOptions): Dev {
  return new Dev(options)
}

/**
 * The clock of a development server.
 *
 * @example
 * ```ts
 * const clock: DevClock = dev.clock
 * await clock.advance(3_600_000)
 * ```
 */
export interface DevClock {
  /**
   * Moves time forward, by milliseconds or a duration such as `90s`, `15m`, `1h` or `2d`. Resolves with the new time when
   * everything that fell due has ended.
   */
  advance(by: number | string): Promise<Date>
}
