import { readFileSync } from 'node:fs'
import t from 'tap'
import type { JsonValue } from '../base/json.ts'
import { openTenant, openVault } from '../testing/vault.ts'

/** An operation that is not built yet says so, in the contract, in CONTRIBUTING.md and on the wire alike. */
const contract = JSON.parse(readFileSync(new URL('../generated/openapi.json', import.meta.url), 'utf8'))

interface Described {
  readonly operationId: string
  readonly 'x-application-types': readonly string[]
  readonly responses: Record<string, unknown>
  readonly requestBody?: { content: Record<string, { examples?: Record<string, { value: JsonValue }> }> }
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const operations = Object.entries<Record<string, Described>>(contract.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([name]) => methods.includes(name))
    .map(([method, described]) => ({ path, method: method.toUpperCase(), ...described })),
)

/** For operations whose bodies have no example in the contract. */
const formula = {
  name: 'F',
  type: 'private',
  code: 'module.exports = () => ({})',
  configuration: [],
  request_parameters: [],
}
const reference = { id: '5b493235-6917-4307-906a-2cd6f1a90b13' }
const bodies: Readonly<Record<string, JsonValue>> = {
  'applications.update': { name: 'A', permissions: ['token:read'] },
  'reactorFormulas.create': formula,
  'reactorFormulas.update': formula,
  'reactors.create': { name: 'R', configuration: {}, formula: reference },
  'reactors.update': { name: 'R', configuration: {} },
}

function listed(): string[] {
  const text = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8')
  const section = text.split(/^## Not built yet$/m)[1]?.split(/^## /m)[0] ?? ''
  return [...section.matchAll(/^\|\s*`([\w.]+)`\s*\|/gm)].map(match => match[1] ?? '')
}

t.test('what answers 501 is what the contract and CONTRIBUTING.md say', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const keys: Record<string, string> = {
    public: tenant.publicKey,
    private: tenant.privateKey,
    management: tenant.managementKey,
  }
  const answered: string[] = []
  for (const { path, method, operationId, requestBody, 'x-application-types': kinds } of operations) {
    const send = tenant.as(keys[kinds[0] ?? ''])
    const [media] = Object.values(requestBody?.content ?? {})
    const [example] = Object.values(media?.examples ?? {})
    const target = path.replace('{id}', '5b493235-6917-4307-906a-2cd6f1a90b13')
    const { status, json } = await send(
      method,
      target,
      requestBody ? (example?.value ?? bodies[operationId] ?? {}) : undefined,
    )
    if (status === 501) {
      t.match(json, { type: 'urn:surrogate:error:not_implemented', status: 501, detail: RegExp(operationId) })
      answered.push(operationId)
    } else t.ok(status < 500, `${operationId}: ${status}`)
  }
  t.same(answered.sort(), listed().sort(), 'CONTRIBUTING.md')
  const documented = operations.filter(({ responses }) => '501' in responses).map(one => one.operationId)
  t.same(answered, documented.sort(), 'the contract')
})

t.test('creating a session takes an absent body, whatever its content type is called', async t => {
  const tenant = await openTenant(openVault(t))
  for (const type of ['text/plain', 'application/json; charset=utf-16', 'application/merge-patch+json']) {
    const { status } = await tenant.asPublic('POST', '/sessions', undefined, { 'Content-Type': type })
    t.ok([201, 501].includes(status), `${type}: ${status}`)
  }
})
