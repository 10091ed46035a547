import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { nothing, uuid } from './values.ts'

const valid = (c: Context) => ({
  name: c.tag,
  type: 'private',
  code: 'module.exports = async function (req) { return { raw: 1 } }',
  configuration: [] as unknown,
  request_parameters: [] as unknown,
})
/** The smallest images of one pixel. */
const [png, jpeg, gif] = [
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
]
const icons = {
  'image/png': `data:image/png;base64,${png}`,
  'image/jpg': `data:image/jpg;base64,${jpeg}`,
  'image/jpeg': `data:image/jpeg;base64,${jpeg}`,
  'image/gif': `data:image/gif;base64,${gif}`,
}
const create = (c: Context) => (body: object) => c.asManagement('POST', '/reactor-formulas', body)
const without = (body: object, name: string) => ({ ...body, [name]: undefined })

/** Specification, sections 2.3 to 2.5 and 4.3. */
export const formulaCases = cases({
  'FOR-001.a: a created formula can be read as it was given': async c => {
    const given = {
      ...valid(c),
      description: 'Says one',
      icon: icons['image/png'],
      configuration: [{ name: 'KEY', description: 'A key', type: 'string' }],
      request_parameters: [{ name: 'card.number', description: 'A number', type: 'string', optional: true }],
    }
    const made = c.success(await create(c)(given), 201).body
    c.ok(uuid.test(made.id), 'id is a UUID', made.id)
    c.ok(made.created_by, 'created_by is set', made.created_by)
    c.ok(Number.isFinite(Date.parse(made.created_at)), 'created_at is a date', made.created_at)
    const read = await c.get(`/reactor-formulas/${made.id}`)
    for (const [name, value] of Object.entries(given)) {
      c.matches(made[name], value, name)
      c.matches(read[name], value, `${name} when read`)
    }
  },
  'FOR-002.a: a formula without a name is refused': c =>
    c.refuses<object>(400, create(c), valid(c), { 'no name': without(valid(c), 'name') }),
  'FOR-003.a: a name of 201 characters is refused, one of 200 accepted': async c => {
    const named = (name: string) => ({ ...valid(c), name })
    await c.refuses(400, create(c), named('n'.repeat(200)), { '201 characters': named('n'.repeat(201)) })
    const { id } = await c.formula()
    const update = (body: object) => c.asManagement('PUT', `/reactor-formulas/${id}`, body)
    await c.refuses(400, update, named('n'.repeat(200)), { '201 characters': named('n'.repeat(201)) })
  },
  'FOR-004.a: a formula without a type or with an unknown one is refused': c =>
    c.refuses<object>(400, create(c), valid(c), {
      'no type': without(valid(c), 'type'),
      'another type': { ...valid(c), type: 'public' },
    }),
  'FOR-005.a: a formula without code is refused': c =>
    c.refuses<object>(400, create(c), valid(c), { 'no code': without(valid(c), 'code') }),
  'FOR-006.a: an icon that is not the data URL of an image is refused': async c => {
    const icon = (type: keyof typeof icons) => ({ ...valid(c), icon: icons[type] })
    c.success(await create(c)(icon('image/jpg')), 201, 'image/jpg')
    c.success(await create(c)(icon('image/jpeg')), 201, 'image/jpeg')
    await c.refuses<object>(400, create(c), icon('image/png'), {
      'another type of image': icon('image/gif'),
      'another kind of URL': { ...valid(c), icon: 'https://example.org/icon.png' },
    })
  },
  'FOR-007.a: a setting without a name or with an unknown type is refused': c => {
    const setting = (definition: object) => ({ ...valid(c), configuration: [definition] })
    return c.refuses<object>(400, create(c), setting({ name: 'a', type: 'boolean' }), {
      'no name': setting({ type: 'boolean' }),
      'no type': setting({ name: 'a' }),
      'another type': setting({ name: 'a', type: 'object' }),
    })
  },
  'FOR-008.a: a setting with a dot in its name is refused': c => {
    const setting = (name: string) => ({ ...valid(c), configuration: [{ name, type: 'string' }] })
    return c.refuses<object>(400, create(c), setting('ab'), { 'a dot': setting('a.b') })
  },
  'FOR-009.a: a parameter without a name or with an unknown type is refused': c => {
    const parameter = (definition: object) => ({ ...valid(c), request_parameters: [definition] })
    return c.refuses<object>(400, create(c), parameter({ name: 'a', type: 'number' }), {
      'no name': parameter({ type: 'number' }),
      'no type': parameter({ name: 'a' }),
      'another type': parameter({ name: 'a', type: 'integer' }),
      'optional that is not a boolean': parameter({ name: 'a', type: 'number', optional: 'yes' }),
    })
  },
  'FOR-010.a: a parameter with a dot in its name is accepted and kept': async c => {
    const { request_parameters } = await c.formula({
      request_parameters: [{ name: 'a.b', type: 'string' }],
    })
    c.equal(request_parameters[0]?.name, 'a.b', 'name')
  },
  'FOR-011.a: a parameter is required by default': async c => {
    const { id } = await c.formula({
      request_parameters: [
        { name: 'a', type: 'string' },
        { name: 'b', type: 'string', optional: true },
      ],
    })
    const { request_parameters } = await c.get(`/reactor-formulas/${id}`)
    c.ok(!request_parameters[0].optional, 'the first is not optional', request_parameters[0].optional)
    c.equal(request_parameters[1].optional, true, 'optional of the second')
  },
  'FOR-012.a: a list of formulas can be filtered by a name with wildcards': async c => {
    const [one, two] = [await c.formula({ name: `${c.tag} one` }), await c.formula({ name: `${c.tag} two` })]
    const list = async (name: string) => {
      const page = await c.get(`/reactor-formulas?name=${name}`)
      c.ok(
        typeof page?.pagination === 'object' && page.pagination !== null,
        'pagination is an object',
        page?.pagination,
      )
      return c.ids(page).sort()
    }
    c.equal(await list(`${c.tag}*`), [one.id, two.id].sort(), 'both')
    c.equal(await list(`${c.tag}*two`), [two.id], 'one of them')
    c.equal(await list(`${c.tag}*three`), [], 'none')
  },
  'FOR-013.a: a PUT replaces the whole formula, and shows by whom and when': async c => {
    const { id, created_at } = await c.formula({
      description: 'Old',
      configuration: [{ name: 'a', type: 'string' }],
    })
    const next = { ...valid(c), name: `${c.tag} new`, code: 'module.exports = () => ({ raw: 2 })' }
    const put = c.success(await c.asManagement('PUT', `/reactor-formulas/${id}`, next), 200).body
    const read = await c.get(`/reactor-formulas/${id}`)
    for (const formula of [put, read]) {
      c.equal([formula.id, formula.created_at], [id, created_at], 'id and created_at')
      for (const [name, value] of Object.entries(next)) c.matches(formula[name], value, name)
      c.ok(
        formula.description === undefined || formula.description === null,
        'the description is gone',
        formula.description,
      )
      c.ok(formula.modified_by, 'modified_by is set', formula.modified_by)
      c.ok(Number.isFinite(Date.parse(formula.modified_at)), 'modified_at is a date', formula.modified_at)
    }
  },
  'FOR-014.a: a PUT that is refused changes nothing': async c => {
    const { id } = await c.formula()
    const update = (body: object) => c.asManagement('PUT', `/reactor-formulas/${id}`, body)
    const next = { ...valid(c), name: `${c.tag} new` }
    await c.refuses<object>(400, update, next, {
      'no code': { ...without(next, 'code'), name: 'other' },
      'an unknown type': { ...next, name: 'other', type: 'none' },
    })
    c.equal((await c.get(`/reactor-formulas/${id}`)).name, next.name, 'name')
  },
  'FOR-015.a: a deleted formula can no longer be read, and the response has no body': async c => {
    const { id } = await c.formula()
    const read = () => c.asManagement('GET', `/reactor-formulas/${id}`)
    c.success(await read(), 200)
    c.equal(c.success(await c.asManagement('DELETE', `/reactor-formulas/${id}`), 204).text, '', 'body')
    c.refused(await read(), 404, 'reading it')
  },
  'FOR-016.a: deleting, reading or replacing an unknown formula is an error': async c => {
    const { id } = await c.formula()
    const at = (method: string) => (one: string) =>
      c.asManagement(method, `/reactor-formulas/${one}`, method === 'PUT' ? valid(c) : undefined)
    for (const method of ['GET', 'PUT', 'DELETE'])
      await c.refuses(404, at(method), id, { [`${method} of an unknown formula`]: nothing })
  },
  'FOR-017.a: another tenant can neither read nor list a private formula': async c => {
    const { id } = await c.formula()
    c.success(await c.asManagement('GET', `/reactor-formulas/${id}`), 200, 'the control')
    c.refused(await c.asOtherManagement('GET', `/reactor-formulas/${id}`), 404, 'reading it')
    c.refused(await c.asOtherManagement('DELETE', `/reactor-formulas/${id}`), 404, 'deleting it')
    const list = async (call = c.asManagement) => c.ids(await c.get(`/reactor-formulas?name=${c.tag}*`, call))
    c.equal(await list(), [id], 'its own list')
    c.equal(await list(c.asOtherManagement), [], 'the list of the other')
  },
  'FOR-018.a: a new formula is verified or coming_soon': async c => {
    const { status } = await c.formula()
    c.ok(status === 'verified' || status === 'coming_soon', 'status is verified or coming_soon', status)
  },
})
