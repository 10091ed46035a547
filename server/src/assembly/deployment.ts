import { applyBootstrap, readBootstrap, refuseTakenKeys } from '../access/bootstrap.ts'
import { digestOfKey } from '../access/keys.ts'
import { createTenant, developmentTenant, type NewTenant } from '../access/tenants.ts'
import type { JsonValue } from '../base/json/json.ts'
import { limits } from '../generated/facts.ts'
import type { Domain } from './domain.ts'

/** A domain whose tenants are set up. */
export interface Deployment extends Domain {
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

/** A reset waits so long for requests. Those that take longer get a 503 when they use the store again. */
const longestRequestMs = limits.formulaTime

/** Applies the bootstrap file, and makes or finds the development tenant. @throws {BootstrapError} */
export async function deploy(domain: Domain): Promise<Deployment> {
  const { options, dev, location, tenants, validators, store, clock, console, webhooks, tools } = domain
  const read = async (json: JsonValue) => {
    const bootstrap = readBootstrap(json, validators, options.dialect)
    const hasData = bootstrap.tenants.some(
      ({ formulas, reactors, tokens }) => (formulas ?? reactors ?? tokens) !== undefined,
    )
    const fixtures = hasData ? (await import('./fixtures.ts')).readFixtures(domain, bootstrap) : undefined
    const apply = async () => {
      await applyBootstrap(tenants, bootstrap)
      await fixtures?.apply()
    }
    return { bootstrap, apply }
  }
  let file = options.bootstrap === undefined ? undefined : await read(options.bootstrap)
  await file?.apply()
  const hasDevelopmentTenant = options.developmentTenant ?? (dev && location.engine !== 'memory')
  const development = hasDevelopmentTenant ? await developmentTenant(tenants) : undefined
  if (development && tools) {
    const root = await store.root(domain.nowUs())
    for (const key of [development.publicKey, development.privateKey, development.managementKey]) {
      tools.onKey(digestOfKey(root, development.tenantId, key), key)
    }
  }
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
    await store.clear()
    clock.putBack()
    console?.clear()
    tools?.clear()
    await file?.apply()
    if (development) await developmentTenant(tenants, development)
    made = development ? [development] : []
    await clock.keep()
  }
  /** Does work that no reset may fall into. */
  const between = <T>(work: () => Promise<T>) => (tools ? tools.idleness.during(work) : work())
  return {
    ...domain,
    development,
    catchUp,
    createTenant: options =>
      between(async () => {
        const tenant = await createTenant(tenants, options)
        // Two are as good as many.
        made = [...made, tenant].slice(-2)
        return tenant
      }),
    reload: json =>
      between(async () => {
        const next = await read(json)
        await refuseTakenKeys(tenants, next.bootstrap)
        await next.apply()
        file = next
      }),
    onlyTenant: () => (made.length === 1 ? made[0] : undefined),
    reset: () => {
      // Ends the waits of requests.
      tools?.faults.reset()
      return tools ? tools.idleness.alone(reset, longestRequestMs) : reset()
    },
    advance: ms => move(() => clock.advance(ms)),
    advanceTenant: (tenant, ms) => move(() => clock.advanceTenant(tenant, ms)),
  }
}
