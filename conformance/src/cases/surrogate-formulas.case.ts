import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'

const create = (c: Context) => (members: object) =>
  c.asManagement('POST', '/reactor-formulas', {
    name: c.tag,
    type: 'private',
    code: 'module.exports = () => ({})',
    ...members,
  })

/** Decisions about formulas and reactors where the specification is open. */
export const surrogateFormulaCases = cases({
  'FOR-501.a: more than 25 settings or parameters, too much code and repeated names are refused': async c => {
    const list = (n: number, prefix = 'a') =>
      Array.from({ length: n }, (_, index) => ({ name: `${prefix}${index}`, type: 'string' }))
    const code = (bytes: number) => '/'.repeat(bytes)
    await c.refuses<object>(
      400,
      create(c),
      { configuration: list(25), request_parameters: list(25) },
      {
        '26 settings': { configuration: list(26) },
        '26 parameters': { request_parameters: list(26) },
        'a setting twice': { configuration: [...list(1), ...list(1)] },
        'a parameter twice': { request_parameters: [...list(1), ...list(1)] },
        'a dangerous name': { request_parameters: [{ name: 'a.__proto__', type: 'string' }] },
        'a long description': { description: 'd'.repeat(1001) },
      },
    )
    await c.refuses<object>(
      400,
      create(c),
      { code: code(50_000) },
      { 'one byte more': { code: code(50_001) } },
    )
  },
  'FOR-502.a: a formula with empty code is coming_soon, and invoking its reactor is 422': async c => {
    const empty = await c.formula({ code: '' })
    c.equal([empty.status, (await c.formula()).status], ['coming_soon', 'verified'], 'status')
    const reactor = await c.reactor({}, { formula: { id: empty.id } })
    c.refused(await c.react(reactor, { args: {} }), 422, 'invoking it')
  },
  'FOR-503.a: a tenant other than the operator cannot write official formulas': async c => {
    await c.refuses<object>(403, create(c), { type: 'private' }, { 'an official one': { type: 'official' } })
  },
  'FOR-504.a: a formula can be deleted only when no reactor uses it': async c => {
    const { id, formula } = await c.reactor()
    const remove = () => c.asManagement('DELETE', `/reactor-formulas/${formula.id}`)
    c.refused(await remove(), 409, 'one in use')
    c.success(await c.asManagement('DELETE', `/reactors/${id}`), 204)
    c.success(await remove(), 204, 'one that is free')
  },
  'FOR-505.a: a name filter matches a part of a name in another case': async c => {
    const { id } = await c.formula({ name: `First ${c.tag} Last` })
    const list = async (name: string) => c.ids(await c.get(`/reactor-formulas?name=${name}`))
    c.equal(await list(`${c.tag.toUpperCase()}%20la`), [id], 'a part')
    c.equal(await list(`${c.tag}*`), [], 'a wildcard at the end alone')
  },
  'REA-501.a: strings are converted to numbers and booleans, and stored as such': async c => {
    const configuration = [
      { name: 'N', type: 'number' },
      { name: 'B', type: 'boolean' },
      { name: 'S', type: 'string' },
    ]
    const reactor = await c.reactor({ configuration }, { configuration: { N: '1.5', B: 'TRUE', S: 7 } })
    c.equal(reactor.configuration, { N: 1.5, B: true, S: '7' }, 'configuration')
  },
  'REA-502.a: a reactor contains its formula as it is now, and an update cannot replace it': async c => {
    const { id, formula } = await c.reactor()
    const other = await c.formula()
    const next = { name: `${c.tag} new`, type: 'private', code: 'module.exports = () => ({ raw: 2 })' }
    c.success(await c.asManagement('PUT', `/reactor-formulas/${formula.id}`, next), 200)
    const put = { name: c.tag, configuration: {}, formula: { id: other.id } }
    c.success(await c.asManagement('PUT', `/reactors/${id}`, put), 200)
    const read = await c.get(`/reactors/${id}`)
    c.equal([read.formula.id, read.formula.name], [formula.id, next.name], 'id and name of the formula')
  },
})
