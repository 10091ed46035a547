import { applyBootstrap, type Bootstrap, type BootstrapParts, Overtaken } from '../access/bootstrap.ts'
import type { NewTenant } from '../access/tenant-settings.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { ContractSchemas } from '../contract/validators.ts'
import { limits } from '../generated/facts.ts'
import { readBootstrap } from '../options/bootstrap.ts'
import type { VaultOptions } from '../options/vault-options.ts'
import { StoreUnavailable } from '../storage/port/port.ts'
import type { TestRecords } from '../storage/records/test-records.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { DurableClock } from './durable-clock.ts'
import type { FixtureRooms } from './fixtures.ts'

/** The tenants of a server, and what its operator does with all of them. */
export interface Tenancy {
  /** The tenant whose keys are kept across restarts, if there is one. */
  readonly development: NewTenant | undefined
  createTenant(options?: { readonly operator?: boolean | undefined }): Promise<NewTenant>
  /** Returns the tenant that this process has made, if it has made exactly one. */
  onlyTenant(): NewTenant | undefined
  /** Empties the store, then sets up its tenants again, between requests: each sees what was before or what is after. */
  reset(): Promise<void>
  /** Applies another bootstrap file. One that is not valid changes nothing. @throws {BootstrapError} */
  reload(bootstrap: JsonValue): Promise<void>
  /** Resolves when everything that is due is done. */
  catchUp(): Promise<void>
  /** Moves the clock forward, and writes down how far it came. */
  advance(ms: number): Promise<void>
  /** The same for the clock of one tenant. */
  advanceTenant(tenant: string, ms: number): Promise<void>
}

/** What keeps a reset apart from other work. */
export interface Interruption {
  /** Does work that no reset may fall into. */
  between<T>(work: () => Promise<T>): Promise<T>
  /** Does work while no request is in flight. */
  alone(work: () => Promise<void>, timeoutMs: number): Promise<void>
  /** Called when all tenants are gone. */
  cleared(): void
}

interface TenancyParts {
  readonly options: Pick<VaultOptions, 'bootstrap' | 'dialect'>
  readonly hasDevelopmentTenant: boolean
  readonly rooms: BootstrapParts & FixtureRooms
  readonly testRecords: Pick<TestRecords, 'clear'>
  readonly validators: ContractSchemas
  readonly clock: DurableClock
  readonly webhooks: Pick<Webhooks, 'catchUp'>
  readonly around: Interruption
}

/** A reset waits so long for requests. Those that take longer get a 503 when they use the store again. */
const longestRequestMs = limits.formulaTime

/** Applies the bootstrap file, and makes or finds the development tenant. @throws {BootstrapError} */
export async function openTenancy(parts: TenancyParts): Promise<Tenancy> {
  const { options, hasDevelopmentTenant, rooms, testRecords, clock, webhooks, around } = parts
  const { tenants } = rooms
  const read = async (json: JsonValue) => {
    const bootstrap = readBootstrap(json, options.dialect)
    const hasData = bootstrap.tenants.some(
      ({ formulas, reactors, tokens }) => (formulas ?? reactors ?? tokens) !== undefined,
    )
    const applyFixtures = hasData
      ? (await import('./fixtures.ts')).readFixtures(parts.validators, bootstrap)
      : async () => {}
    return { apply: () => applyWhole(rooms, bootstrap, applyFixtures) }
  }
  let file = options.bootstrap === undefined ? undefined : await read(options.bootstrap)
  await file?.apply()
  const development = hasDevelopmentTenant ? await tenants.development() : undefined
  const catchUp = async () => {
    await clock.advance(0)
    await webhooks.catchUp()
  }
  /** What is in progress first ends at the time at which it began: a failed delivery is due again after that. */
  const move = async (advance: () => Promise<void>) => {
    await catchUp()
    await advance()
    await catchUp()
    await clock.keep()
  }
  let made = development ? [development] : []
  const reset = async () => {
    await testRecords.clear()
    clock.putBack()
    around.cleared()
    await file?.apply()
    if (development) await tenants.development(development)
    made = development ? [development] : []
    await clock.keep()
  }
  return {
    development,
    catchUp,
    createTenant: options =>
      around.between(async () => {
        const tenant = await tenants.create(options)
        // Two are as good as many.
        made = [...made, tenant].slice(-2)
        return tenant
      }),
    reload: json =>
      around.between(async () => {
        const next = await read(json)
        await next.apply()
        file = next
      }),
    onlyTenant: () => (made.length === 1 ? made[0] : undefined),
    reset: () => around.alone(reset, longestRequestMs),
    advance: ms => move(() => clock.advance(ms)),
    advanceTenant: (tenant, ms) => move(() => clock.advanceTenant(tenant, ms)),
  }
}

/** The number of attempts to apply a file while other writers interfere. */
const mostAttempts = 10

/** Applies a file in one commit: whole, or not at all if a part of it is refused. @throws {BootstrapError | StoreUnavailable} */
async function applyWhole(
  rooms: BootstrapParts & FixtureRooms,
  bootstrap: Bootstrap,
  applyFixtures: (rooms: FixtureRooms) => Promise<void>,
): Promise<void> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const { records, commit } = rooms.records.staged()
    const formulas = rooms.formulas.on(records)
    const applications = rooms.applications.on(records)
    const staged = {
      ...{ records, clock: rooms.clock, formulas, applications },
      tenants: rooms.tenants.on(records, applications),
      tokens: rooms.tokens.on(records),
      reactors: rooms.reactors.on(records, formulas),
    }
    // Another server may apply the same file at the same time: then the next attempt finds nothing to do.
    try {
      await applyBootstrap(staged, bootstrap)
      await applyFixtures(staged)
      if (!(await commit(rooms.clock.nowUs())).ok) continue
    } catch (error) {
      if (error instanceof Overtaken) continue
      throw error
    }
    // Another process may have removed a tenant that is made again here, with other keys.
    for (const { id } of bootstrap.tenants) await rooms.records.forgetRemoved(id)
    return
  }
  throw new StoreUnavailable('other servers change what the bootstrap file names at the moment; try again')
}
