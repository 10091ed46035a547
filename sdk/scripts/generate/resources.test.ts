import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import type { Contract } from './contract.ts'
import { resourceModules } from './resources.ts'

const read = () => parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'))
const { paths, ...rest } = read()
const ofDevelopment = /^\/(_dev|proxy)/
const contract: Contract & { paths: Record<string, unknown> } = {
  ...rest,
  paths: Object.fromEntries(Object.entries(paths).filter(([path]) => !ofDevelopment.test(path))),
}

t.test('an operation that the contract gets becomes a method, with its texts', async t => {
  const plan = {
    ...contract.paths['/tenants/self']?.get,
    operationId: 'tenants.plan',
    description: 'Returns the plan.',
    'x-permission': 'log:read',
    'x-application-types': ['private', 'management'],
    'x-session': false,
  }
  const shared = [{ name: 'year_of_plan', in: 'path' }]
  const more = {
    ...contract,
    paths: { ...contract.paths, '/plans/{year_of_plan}': { parameters: shared, get: plan } },
  }
  const code = resourceModules(more as unknown as Contract).get('resources/tenants') ?? ''
  t.notMatch(resourceModules(contract).get('resources/tenants'), 'plan(', 'control')
  t.match(code, /import \{[^}]*tenantsPlan[^}]*\} from '\.\.\/operations\.gen\.ts'/)
  t.match(code, 'plan(yearOfPlan: string, options?: RequestOptions): Call<Tenant> {')
  t.match(code, 'return this.#send(tenantsPlan, { year_of_plan: yearOfPlan }, options)')
  const docs = code.slice(code.indexOf('Returns the plan.'), code.indexOf('plan(yearOfPlan'))
  t.match(docs, 'For private keys and management keys with `log:read`.')
  t.match(docs, "const tenant = await surrogate.tenants.plan('year-of-plan')")
})

t.test('lists are pages, later outcomes are told apart, and only errors of its own are named', async t => {
  const modules = resourceModules(contract)
  t.match(modules.get('resources/jobs'), 'list(query?: JobQuery, options?: RequestOptions): Pages<Job> {')
  const found = modules.get('resources/iterable-tokens')
  t.match(found, /, query\?\.start\)/, 'by cursors where the operation has them')
  const seen = modules.get('resources/tokens')
  t.match(seen, 'list<T = never>(query?: TokenQuery, options?: RequestOptions): PageCall<TokenOf<T>>')
  t.notMatch(modules.get('resources/tokens'), /\bPages\b/, 'tokens alone load no more')
  t.match(modules.get('resources/reactors'), 'return accepted(this.#send(reactorsReact,')
  const tenants = modules.get('resources/tenants') ?? ''
  t.notMatch(tenants, /AuthenticationError|ServerError/)
  t.match(modules.get('resources/reactors'), '- `PaymentMethodError`: ')
})
