import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { nothing, uuid } from './values.ts'

const settings = {
  configuration: [
    { name: 'KEY', type: 'string' },
    { name: 'LIMIT', type: 'number' },
  ],
}
const configuration = { KEY: 'k', LIMIT: 5 }

async function configured(c: Context) {
  const formula = await c.formula(settings)
  return { formula, body: { name: c.tag, configuration, formula: { id: formula.id } } }
}
const create = (c: Context) => (body: object) => c.asManagement('POST', '/reactors', body)
const read = async (c: Context, id: string) => await c.get(`/reactors/${id}`)

/** Specification, sections 2.7 and 4.4, without invocations. */
export const reactorCases = cases({
  'REA-001.a: a created reactor can be read as it was given, with its formula': async c => {
    const { formula, body } = await configured(c)
    const made = c.success(await create(c)(body), 201).body
    for (const reactor of [made, await read(c, made.id)]) {
      c.ok(uuid.test(reactor.id), 'id is a UUID', reactor.id)
      c.ok(uuid.test(reactor.tenant_id), 'tenant_id is a UUID', reactor.tenant_id)
      c.equal([reactor.name, reactor.configuration], [body.name, configuration], 'name and configuration')
      c.equal(
        [reactor.formula?.id, reactor.formula?.code],
        [formula.id, formula.code],
        'id and code of the formula',
      )
      c.ok(Number.isFinite(Date.parse(reactor.created_at)), 'created_at is a date', reactor.created_at)
    }
  },
  'REA-002.a: a reactor without a name, or with one of 201 characters, is refused': async c => {
    const { body } = await configured(c)
    await c.refuses<object>(
      400,
      create(c),
      { ...body, name: 'n'.repeat(200) },
      {
        '201 characters': { ...body, name: 'n'.repeat(201) },
        'no name': { ...body, name: undefined },
      },
    )
  },
  'REA-003.a: a reactor without an existing formula is refused': async c => {
    const { body } = await configured(c)
    await c.refuses<object>(400, create(c), body, {
      'no formula': { ...body, formula: undefined },
      'an unknown formula': { ...body, formula: { id: nothing } },
    })
  },
  'REA-004.a: a configuration with a missing or unknown name is refused': async c => {
    const { body } = await configured(c)
    await c.refuses<object>(400, create(c), body, {
      'no configuration': { ...body, configuration: undefined },
      'a name missing': { ...body, configuration: { KEY: 'k' } },
      'a name unknown': { ...body, configuration: { ...configuration, OTHER: 1 } },
    })
  },
  'REA-005.a: a configuration with a value of another type is refused': async c => {
    const { body } = await configured(c)
    await c.refuses<object>(400, create(c), body, {
      'a word for a number': { ...body, configuration: { ...configuration, LIMIT: 'five' } },
      'an object for a text': { ...body, configuration: { ...configuration, KEY: { a: 1 } } },
    })
  },
  'REA-006.a: a private and a public application are accepted, a management one is refused': async c => {
    const { body } = await configured(c)
    const shared = { permissions: ['token:create'] }
    const [one, two] = [await c.application(shared), await c.application(shared, 'public')]
    const third = await c.application({ permissions: ['reactor:read'] }, 'management')
    const withApplication = (id: string) => ({ ...body, application: { id } })
    c.success(await create(c)(withApplication(two.id)), 201, 'a public one')
    await c.refuses(400, create(c), withApplication(one.id), {
      'a management one': withApplication(third.id),
      'an unknown id': withApplication(nothing),
    })
    const made = c.success(await create(c)(withApplication(one.id)), 201).body
    c.equal((await read(c, made.id)).application?.id, one.id, 'id of the application')
  },
  'REA-007.a: a list filtered by ids contains only these reactors': async c => {
    const [one, two] = [await c.reactor(), await c.reactor()]
    const list = async (query: string) => {
      const page = await c.get(`/reactors?${query}`)
      c.ok(
        typeof page?.pagination === 'object' && page.pagination !== null,
        'pagination is an object',
        page?.pagination,
      )
      return c.ids(page).sort()
    }
    c.equal(await list(`id=${one.id}`), [one.id], 'one id')
    c.equal(await list(`id=${one.id}&id=${two.id}`), [one.id, two.id].sort(), 'two ids')
  },
  'REA-008.a: a list of reactors can be filtered by a name with wildcards': async c => {
    const formula = { id: (await c.formula()).id }
    const make = (name: string) => c.reactor({}, { name: `${c.tag} ${name}`, formula })
    const [one, two] = [await make('one'), await make('two')]
    const list = async (name: string) => c.ids(await c.get(`/reactors?name=${name}`)).sort()
    c.equal(await list(`${c.tag}*`), [one.id, two.id].sort(), 'both')
    c.equal(await list(`${c.tag}*two`), [two.id], 'one of them')
    c.equal(await list(`${c.tag}*three`), [], 'none')
  },
  'REA-009.a: a PUT replaces the reactor and returns it': async c => {
    const { body } = await configured(c)
    const { id } = c.success(await create(c)(body), 201).body
    const next = { name: `${c.tag} new`, configuration: { KEY: 'other', LIMIT: 6 } }
    const put = c.success(await c.asManagement('PUT', `/reactors/${id}`, next), 200).body
    for (const reactor of [put, await read(c, id)]) {
      c.equal(
        [reactor.id, reactor.name, reactor.configuration],
        [id, next.name, next.configuration],
        'the reactor',
      )
    }
  },
  'REA-010.a: a PUT without a name or a configuration is refused': async c => {
    const { body } = await configured(c)
    const { id } = c.success(await create(c)(body), 201).body
    const put = (next: object) => c.asManagement('PUT', `/reactors/${id}`, next)
    await c.refuses<object>(
      400,
      put,
      { name: c.tag, configuration },
      {
        'no name': { configuration },
        'no configuration': { name: c.tag },
        'a name of 201 characters': { name: 'n'.repeat(201), configuration },
      },
    )
  },
  'REA-011.a: a PATCH with a content type other than merge patch is 415': async c => {
    const { id } = await c.reactor()
    const send = (type: string) =>
      c.asManagement(
        'PATCH',
        `/reactors/${id}`,
        { name: `${c.tag} new` },
        { headers: { 'Content-Type': type } },
      )
    await c.refuses({ status: 415 }, send, 'application/merge-patch+json', {
      'application/json': 'application/json',
      'text/plain': 'text/plain',
    })
  },
  'REA-012.a: the response to a PATCH is 204 without a body': async c => {
    const { id } = await c.reactor()
    const reply = c.status(await c.asManagement('PATCH', `/reactors/${id}`, { name: `${c.tag} new` }), 204)
    c.equal(reply.text, '', 'body')
    c.equal((await read(c, id)).name, `${c.tag} new`, 'name')
  },
  'REA-013.a: a PATCH merges the configuration and keeps the rest': async c => {
    const { body } = await configured(c)
    const { id } = c.success(await create(c)(body), 201).body
    c.status(await c.asManagement('PATCH', `/reactors/${id}`, { configuration: { LIMIT: 7 } }), 204)
    const reactor = await read(c, id)
    c.equal([reactor.name, reactor.configuration], [c.tag, { KEY: 'k', LIMIT: 7 }], 'name and configuration')
  },
  'REA-014.a: a PATCH whose result is not valid is refused and changes nothing': async c => {
    const { body } = await configured(c)
    const { id } = c.success(await create(c)(body), 201).body
    const patch = (change: object) => c.asManagement('PATCH', `/reactors/${id}`, change)
    await c.refuses<object>(
      400,
      patch,
      { configuration: { LIMIT: 7 } },
      {
        'a setting removed': { configuration: { LIMIT: null, KEY: 'other' } },
        'a word for a number': { name: 'other', configuration: { LIMIT: 'seven' } },
        'a name of 201 characters': { name: 'n'.repeat(201), configuration: { LIMIT: 8 } },
        'an unknown application': { name: 'other', application: { id: nothing } },
      },
    )
    const reactor = await read(c, id)
    c.equal([reactor.name, reactor.configuration], [c.tag, { KEY: 'k', LIMIT: 7 }], 'name and configuration')
  },
  'REA-015.a: a deleted reactor can no longer be read, and the response has no body': async c => {
    const { id } = await c.reactor()
    c.success(await c.asManagement('GET', `/reactors/${id}`), 200)
    c.equal(c.success(await c.asManagement('DELETE', `/reactors/${id}`), 204).text, '', 'body')
    c.refused(await c.asManagement('GET', `/reactors/${id}`), 404, 'reading it')
    c.refused(await c.asManagement('DELETE', `/reactors/${id}`), 404, 'deleting it once more')
  },
  'REA-016.a: a PUT whose configuration does not fit is refused and changes nothing': async c => {
    const { body } = await configured(c)
    const { id } = c.success(await create(c)(body), 201).body
    const put = (values: object) =>
      c.asManagement('PUT', `/reactors/${id}`, { name: `${c.tag} new`, configuration: values })
    await c.refuses<object>(
      400,
      put,
      { KEY: 'new', LIMIT: 8 },
      {
        'a name missing': { KEY: 'other' },
        'a word for a number': { KEY: 'other', LIMIT: 'nine' },
      },
    )
    c.equal((await read(c, id)).configuration, { KEY: 'new', LIMIT: 8 }, 'configuration')
  },
})
