import { isDeepStrictEqual } from 'node:util'
import {
  type Bootstrap,
  BootstrapError,
  type BootstrapTenant,
  expect,
  list,
  refuse,
  unique,
} from '../access/bootstrap.ts'
import type { Caller } from '../access/caller.ts'
import { comparableId } from '../base/comparable-id.ts'
import { ServiceError } from '../base/errors.ts'
import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import type { Clock } from '../base/time/clock.ts'
import { parseExpiration } from '../base/time/expiration.ts'
import type { CreateReactorRequest, CreateTokenRequest, ReactorFormulaRequest } from '../contract/types.ts'
import type { ContractSchemas } from '../contract/validators.ts'
import { readFormula } from '../formulas/formula.ts'
import type { Formulas } from '../formulas/formulas.ts'
import { createFormula, updateFormula } from '../formulas/write-formula.ts'
import { tokenPermissions } from '../generated/facts.ts'
import type { ReactorRecord } from '../reactors/reactor.ts'
import type { Reactors } from '../reactors/reactors.ts'
import { createReactor, updateReactor } from '../reactors/write-reactor.ts'
import type { Records } from '../storage/records/records.ts'
import { createToken } from '../tokens/create.ts'
import type { TokenRecord } from '../tokens/token.ts'
import type { Tokens } from '../tokens/tokens.ts'

export interface FixtureRooms {
  readonly validators: ContractSchemas
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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Checks the formulas, reactors and tokens of a bootstrap file. `apply` sets formulas and reactors to what the file
 * says, and makes the tokens that do not exist and have not expired.
 *
 * @throws {BootstrapError}
 */
export function readFixtures(rooms: FixtureRooms, { tenants }: Bootstrap): { apply(): Promise<void> } {
  const all = tenants.map((tenant, at) => readTenant(rooms, tenant, `tenants.${at}`))
  return {
    apply: async () => {
      // Formulas first, of all tenants: reactors may use official ones.
      for (const { tenant, formulas } of all) {
        for (const one of formulas) await named(one, () => applyFormula(rooms, tenant, one))
      }
      for (const { tenant, reactors, tokens } of all) {
        for (const one of reactors) await named(one, () => applyReactor(rooms, tenant, one))
        // One after the other, as lists have the order in which tokens were made.
        for (const one of tokens) await named(one, () => applyToken(rooms, tenant, one))
      }
    },
  }
}

function readTenant(rooms: FixtureRooms, tenant: BootstrapTenant, path: string): TenantFixtures {
  const read = <Schema extends keyof Contents>(kind: 'formulas' | 'reactors' | 'tokens', schema: Schema) => {
    const found = list(tenant[kind] ?? [], `${path}.${kind}`).map((json, at) =>
      readFixture(rooms, tenant, json, `${path}.${kind}.${at}`, schema),
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
  { validators }: FixtureRooms,
  { applications }: BootstrapTenant,
  json: JsonValue,
  path: string,
  schema: Schema,
): Fixture<Contents[Schema]> {
  if (!isJsonObject(json)) throw new BootstrapError(`${path} must be an object`)
  const { id, created_by: by = applications[0]?.id ?? null, ...content } = json
  const isToken = schema === 'CreateTokenRequest'
  expect(
    typeof id === 'string' && (isToken || uuid.test(id)),
    `${path}.id`,
    isToken ? 'must be an id' : 'must be a UUID in lower case',
  )
  expect(
    applications.some(one => one.id === by),
    `${path}.created_by`,
    'must be the id of an application of the tenant in this file',
  )
  const described = isToken ? { id: `${id}`, ...content } : content
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
    const [first] = Object.entries(error.errors ?? {})
    throw new BootstrapError(
      first ? `${path}.${first[0]} ${first[1][0]}` : `${path} is refused: ${error.message}`,
    )
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
  expect(
    formula === after.formula,
    `${fixture.path}.formula.id`,
    'must stay as it is: a reactor keeps its formula',
  )
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
