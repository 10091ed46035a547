import { readFileSync } from 'node:fs'
import t from 'tap'
import { makeFormula, makeReactor, openReactors } from '../../../verify/support/reactors.ts'
import { openTenant, type Reply, type TestTenant } from '../../../verify/support/vault.ts'
import { errorRegistry } from '../../base/errors.ts'

/** The problems shown in the contract are those that this server returns, word for word. */
interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly instance: string
}

const tracePrefix = 'urn:surrogate:trace:'
const contract = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))

/** Each example of a problem, by its place in the contract. */
function* examplesOf(value: unknown, path: string): Generator<[string, Problem]> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === 'application/problem+json') {
      const { examples = {}, example } = member
      if (example !== undefined) yield [path, example]
      for (const key of Object.keys(examples)) yield [`${path}.${key}`, examples[key].value]
    } else yield* examplesOf(member, path === '' ? name : `${path}.${name}`)
  }
}

type Make = (tenant: TestTenant, headers: Record<string, string>) => Promise<Reply>

/** How each comes about. */
const makers: Readonly<Record<string, Make>> = {
  'BadRequest.content.validation': ({ asManagement }, headers) =>
    asManagement('POST', '/reactor-formulas', { name: 'x'.repeat(201), type: 'private', code: '' }, headers),
  'TokenRefused.content.validation': ({ send }, headers) =>
    send('POST', '/tokens', { type: 'card', data: { number: '4242424242424243' } }, headers),
  'InvalidQuery.content.query': ({ send }, headers) =>
    send('POST', '/tokens/search', { query: 'metadata.name:jo~' }, headers),
  'InvocationRefused.content.detokenize': async (tenant, headers) => {
    const { id } = await makeFormula(tenant, 'module.exports = () => ({ raw: 1 })')
    const reactor = await makeReactor(tenant, id)
    const args = { card: '{{ 5b493235-6917-4307-906a-2cd6f1a90b13 }}' }
    return tenant.send('POST', `/reactors/${reactor.id}/react`, { args }, headers)
  },
}

const examples = new Map(examplesOf(contract.components.responses, ''))

t.test('every example of a problem in the contract has a request that causes it', async t => {
  t.same([...examples.keys()].sort(), Object.keys(makers).sort())
  t.same([...examplesOf(contract.paths, '')], [])
})

t.test('the examples equal the responses', async t => {
  const vault = openReactors(t)
  for (const [place, example] of examples) {
    const tenant = await openTenant(vault)
    t.ok(example.instance.startsWith(tracePrefix), `${place}: ${example.instance}`)
    const trace = decodeURIComponent(example.instance.slice(tracePrefix.length))
    const reply = await makers[place]?.(tenant, { 'SVC-TRACE-ID': trace })
    const { explanation: _, ...problem } = reply?.json ?? {}
    t.same(problem, example, place)
    t.equal(reply?.status, example.status, place)
    const code = example.type.slice('urn:surrogate:error:'.length) as keyof typeof errorRegistry
    t.match(errorRegistry[code], { title: example.title, status: example.status }, place)
  }
})
