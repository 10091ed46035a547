import { isDeepStrictEqual } from 'node:util'
import { type Bootstrap, BootstrapError, type BootstrapTenant } from '../access/bootstrap.ts'
import type { Caller } from '../access/caller.ts'
import { comparableId } from '../base/comparable-id.ts'
import { ServiceError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Clock } from '../base/time/clock.ts'
import { parseExpiration } from '../base/time/expiration.ts'
import type { CreateReactorRequest, CreateTokenRequest, ReactorFormulaRequest } from '../contract/types.ts'
import type { ContractSchemas } from '../contract/validators.ts'
import { readFormula } from '../formulas/formula.ts'
import type { Formulas } from '../formulas/formulas.ts'
import { createFormula, updateFormula } from '../formulas/write-formula.ts'
import { tokenPermissions } from '../generated/facts.ts'
import { refuse, unique } from '../options/bootstrap.ts'
import type { ReactorRecord } from '../reactors/reactor.ts'
import type { Reactors } from '../reactors/reactors.ts'
import { createReactor, updateReactor } from '../reactors/write-reactor.ts'
import type { Records } from '../storage/records/records.ts'
import { createToken } from '../tokens/create.ts'
import type { TokenRecord } from '../tokens/token.ts'
import type { Tokens } from '../tokens/tokens.ts'

export interface FixtureRooms {
  readonly records: Records
  readonly clock: Pick<Clock, 'nowUs'>
  readonly tokens: Tokens
  readonly formulas: Formulas
  readonly reactors: Reactors
}

/** A part of the file: its path, and the application that it is made by. */
interface Fixture<Content = unknown> {
  readonly path: string
  readonly id: string
  readonly by: string
  readonly content: Content
}

/** The contents of fixtures, by their schema in the contract. */
interface Contents {
  readonly ReactorFormulaRequest: ReactorFormulaRequest
  readonly CreateReactorRequest: CreateReactorRequest
  readonly CreateTokenRequest: CreateTokenRequest
}

interface TenantFixtures {
  readonly tenant: string
  readonly formulas: readonly Fixture<ReactorFormulaRequest>[]
  readonly reactors: readonly Fixture<CreateReactorRequest>[]
  readonly tokens: readonly Fixture<CreateTokenRequest>[]
}

/**
 * Checks the formulas, reactors and tokens of a bootstrap file. Returns a function that sets formulas and reactors to what
 * the file says, and makes the tokens that do not exist and have not expired.
 *
 * @throws {BootstrapError}
 */
export function readFixtures(
  validators: ContractSchemas,
  { tenants }: Bootstrap,
): (rooms: FixtureRooms) => Promise<void> {
  const all = tenants.map((tenant, at) => readTenant(validators, tenant, `tenants.${at}`))
  return async rooms => {
    // Formulas first, of all tenants: reactors may use official ones.
    for (const { tenant, formulas } of all) {
      for (const one of formulas) await named(one, () => applyFormula(rooms, tenant, one))
    }
    for (const { tenant, reactors, tokens } of all) {
      for (const one of reactors) await named(one, () => applyReactor(rooms, tenant, one))
      // One after the other, as lists have the order in which tokens were made.
      for (const one of tokens) await named(one, () => applyToken(rooms, tenant, one))
    }
  }
}

function readTenant(validators: ContractSchemas, tenant: BootstrapTenant, path: string): TenantFixtures {
  const read = <Schema extends keyof Contents>(kind: 'formulas' | 'reactors' | 'tokens', schema: Schema) => {
    const found = (tenant[kind] ?? []).map((json, at) =>
      readFixture(validators, tenant, json, `${path}.${kind}.${at}`, schema),
    )
    unique(
      found.map(({ id }) => ({ id: comparableId(id) })),
      `${path}.${kind}`,
      'id',
    )
    return found
  }
  return {
    tenant: tenant.id,
    formulas: read('formulas', 'ReactorFormulaRequest'),
    reactors: read('reactors', 'CreateReactorRequest'),
    tokens: read('tokens', 'CreateTokenRequest'),
  }
}

function readFixture<Schema extends keyof Contents>(
  validators: ContractSchemas,
  { applications }: BootstrapTenant,
  json: JsonObject,
  path: string,
  schema: Schema,
): Fixture<Contents[Schema]> {
  const { id, created_by: by = applications[0]?.id ?? null, ...content } = json
  if (!applications.some(one => one.id === by)) {
    throw new BootstrapError(`${path}.created_by must be the id of an application of the tenant in this file`)
  }
  const described = schema === 'CreateTokenRequest' ? { id: `${id}`, ...content } : content
  refuse(validators.check(schema, described, path))
  // The schema stands for the type.
  return { path, id: `${id}`, by: `${by}`, content: described as unknown as Contents[Schema] }
}

/** Adds the place in the file to what is refused. @throws {BootstrapError} */
async function named({ path }: Fixture, apply: () => Promise<void>): Promise<void> {
  try {
    await apply()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    refuse(error.errors ?? {}, path)
    throw new BootstrapError(`${path} is refused: ${error.message}`)
  }
}

/** An application that may do everything to tokens: the file decides what there is. */
const callerOf = (tenant: string, { by }: Fixture): Caller => ({
  tenant,
  application: by,
  type: 'private',
  rights: {
    permissions: [],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: [...tokenPermissions] }],
  },
})

async function applyFormula(
  { formulas }: FixtureRooms,
  tenant: string,
  fixture: Fixture<ReactorFormulaRequest>,
): Promise<void> {
  const caller = callerOf(tenant, fixture)
  const { content } = fixture
  const known = await formulas.find(tenant, fixture.id)
  if (!known) return void (await createFormula(formulas.of(caller), content, undefined, fixture.id))
  const { id: _id, created_by: _by, modified_by: _modified, ...before } = known.record.value
  if (isDeepStrictEqual(before, readFormula(content))) return
  await updateFormula(formulas.of(caller), fixture.id, content)
}

async function applyReactor(
  { reactors, records }: FixtureRooms,
  tenant: string,
  fixture: Fixture<CreateReactorRequest>,
): Promise<void> {
  const caller = callerOf(tenant, fixture)
  const { content } = fixture
  const known = await (await records.tenant(tenant))?.get<ReactorRecord>('reactor', fixture.id)
  if (!known) return void (await createReactor(reactors.of(caller), content, undefined, fixture.id))
  const { name, formula, application, configuration } = known.value
  const before = { name, formula, application, configuration }
  const after = {
    name: content.name,
    formula: content.formula.id,
    application: content.application?.id,
    configuration: content.configuration ?? {},
  }
  if (formula !== after.formula) {
    throw new BootstrapError(`${fixture.path}.formula.id must stay as it is: a reactor keeps its formula`)
  }
  if (!isDeepStrictEqual(before, after)) await updateReactor(reactors.of(caller), fixture.id, content)
}

async function applyToken(
  { tokens, records, clock }: FixtureRooms,
  tenant: string,
  fixture: Fixture<CreateTokenRequest>,
): Promise<void> {
  const { id, path, content: input } = fixture
  if (await (await records.tenant(tenant))?.get<TokenRecord>('token', id)) return
  const { expires_at } = input
  const expiration = typeof expires_at === 'string' ? parseExpiration(expires_at) : undefined
  if (expiration && expiration.ms * 1000 <= clock.nowUs(tenant)) return
  const { created } = await createToken(tokens.of(callerOf(tenant, fixture)), input)
  if (!created) throw new BootstrapError(`${path} must not duplicate another token with deduplicate_token`)
}
