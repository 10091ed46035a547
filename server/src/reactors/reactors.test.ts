import t from 'tap'
import { echo, makeFormula, makeReactor, openReactors } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'

const vault = openReactors(t)
const nobody = '5b493235-6917-4307-906a-2cd6f1a90b13'
const settings = {
  configuration: [
    { name: 'URL', type: 'string' },
    { name: 'RETRIES', type: 'number' },
    { name: 'LIVE', type: 'boolean' },
  ],
}
const configuration = { URL: 'https://example.org', RETRIES: 3, LIVE: false }

t.test('PATCH changes what it names, and the whole is looked at again', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo, settings)
  const application = await tenant.application({ permissions: ['token:read'] })
  const { id } = await makeReactor(tenant, formula.id, { configuration })
  const path = `/reactors/${id}`
  const patch = async (body: JsonValue, headers = {}) => tenant.asManagement('PATCH', path, body, headers)
  const now = async () => (await tenant.asManagement('GET', path)).json

  t.match(await patch({ name: 'New' }), { status: 204, text: '' })
  t.match(await now(), { name: 'New', configuration })
  t.equal((await patch({ configuration: { RETRIES: '5' } })).status, 204)
  t.same((await now()).configuration, { ...configuration, RETRIES: 5 })
  t.equal((await patch({ application: { id: application.id } })).status, 204)
  t.equal((await now()).application.id, application.id)
  t.equal((await patch({ application: {} })).status, 204, 'a merge of nothing')
  t.equal((await now()).application.id, application.id)
  t.equal((await patch({ application: null })).status, 204)
  t.notOk('application' in (await now()))
  t.equal((await patch({})).status, 204)
  t.equal((await patch({ formula: { id: nobody }, unknown: 1 })).status, 204, 'not of this request')

  const before = await now()
  const refused: [string, JsonValue, at: string][] = [
    ['a setting removed', { configuration: { URL: null } }, 'configuration.URL'],
    ['a setting that does not fit', { configuration: { LIVE: 'yes' } }, 'configuration.LIVE'],
    ['a setting too many', { configuration: { OTHER: 1 } }, 'configuration.OTHER'],
    ['no configuration', { configuration: null }, 'configuration'],
    ['no name', { name: null }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['an application without an id', { application: {} }, 'application.id'],
    ['an application that there is not', { application: { id: nobody } }, 'application.id'],
  ]
  for (const [name, body, at] of refused) {
    const reply = await patch(body)
    t.match(reply, { status: 400, json: { errors: { [at]: [String] } } }, name)
  }
  t.same(await now(), before)
  const json = { 'Content-Type': 'application/json' }
  t.match(await patch({ name: 'X' }, json), { status: 415, json: { type: /unsupported_media_type/ } })
})

t.test('what is refused, beside what is not', async t => {
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const formula = await makeFormula(tenant, echo, settings)
  const theirs = await makeFormula(other, echo, settings)
  const asPublic = await tenant.application({ permissions: ['token:create'] }, 'public')
  const asManagement = await tenant.application({ permissions: ['reactor:read'] }, 'management')
  const elsewhere = await other.application({ permissions: ['token:read'] })
  const good = { name: 'R', configuration, formula: { id: formula.id } }
  const configured = (more: JsonObject) => ({ configuration: { ...configuration, ...more } })
  const rows: [string, bad: JsonObject, good: JsonObject, at: string][] = [
    ['no name', { name: null }, {}, 'name'],
    ['an empty name', { name: '' }, { name: 'a' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, { name: 'x'.repeat(200) }, 'name'],
    ['no configuration', { configuration: null }, {}, 'configuration.URL'],
    ['a configuration that is a list', { configuration: [] }, {}, 'configuration'],
    [
      'a configuration without a setting',
      { configuration: { URL: 'x', LIVE: true } },
      {},
      'configuration.RETRIES',
    ],
    ['a setting that is null', configured({ URL: null }), configured({ URL: '' }), 'configuration.URL'],
    ['a setting that is an object', configured({ URL: {} }), configured({ URL: '{}' }), 'configuration.URL'],
    ['a setting that is not declared', configured({ MORE: 1 }), configured({}), 'configuration.MORE'],
    ['no number', configured({ RETRIES: 'three' }), configured({ RETRIES: '3' }), 'configuration.RETRIES'],
    [
      'a number with a blank',
      configured({ RETRIES: '3 ' }),
      configured({ RETRIES: '3e0' }),
      'configuration.RETRIES',
    ],
    [
      'a boolean as a number',
      configured({ RETRIES: true }),
      configured({ RETRIES: -1.5 }),
      'configuration.RETRIES',
    ],
    ['no boolean', configured({ LIVE: 'yes' }), configured({ LIVE: 'TRUE' }), 'configuration.LIVE'],
    ['a number as a boolean', configured({ LIVE: 1 }), configured({ LIVE: 'false' }), 'configuration.LIVE'],
    ['no formula', { formula: null }, {}, 'formula'],
    ['a formula without an id', { formula: {} }, {}, 'formula.id'],
    ['a formula that there is not', { formula: { id: nobody } }, {}, 'formula.id'],
    ["another tenant's formula", { formula: { id: theirs.id } }, {}, 'formula.id'],
    ['an application without an id', { application: {} }, { application: null }, 'application.id'],
    [
      'an application that there is not',
      { application: { id: nobody } },
      { application: { id: asPublic.id } },
      'application.id',
    ],
    [
      'a management application',
      { application: { id: asManagement.id } },
      { application: { id: asPublic.id } },
      'application.id',
    ],
    [
      "another tenant's application",
      { application: { id: elsewhere.id } },
      { application: { id: asPublic.id } },
      'application.id',
    ],
  ]
  for (const [name, bad, control, at] of rows) {
    const refused = await tenant.asManagement('POST', '/reactors', { ...good, ...bad })
    t.match(refused, { status: 400, json: { type: /validation/ } }, name)
    t.ok(refused.json.errors?.[at], `${name}: names ${at}, not ${Object.keys(refused.json.errors ?? {})}`)
    t.equal(
      (await tenant.asManagement('POST', '/reactors', { ...good, ...control })).status,
      201,
      `${name}: control`,
    )
    if (at.startsWith('formula')) continue
    const { id } = await makeReactor(tenant, formula.id, { configuration })
    const put = (body: JsonObject) =>
      tenant.asManagement('PUT', `/reactors/${id}`, { name: 'R', configuration, ...body })
    t.equal((await put(bad)).status, 400, `${name}, in PUT`)
    t.equal((await put(control)).status, 200, `${name}, in PUT: control`)
  }
})

t.test('a list has ids and names to choose by', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo)
  const ids: string[] = []
  for (const name of ['Charge', 'Refund', 'Charge back']) {
    ids.unshift((await makeReactor(tenant, formula.id, { name })).id)
  }
  const list = async (query: string) => {
    const { json } = await tenant.asManagement('GET', `/reactors?${query}`)
    return [json.pagination.total_items, json.data.map(({ id }: JsonObject) => ids.indexOf(String(id)))]
  }
  t.same(await list(''), [3, [0, 1, 2]])
  t.same(await list('size=1&page=2'), [3, [1]])
  t.same(await list('name=charge'), [2, [0, 2]])
  t.same(await list('name=charge*&size=1&page=2'), [2, [2]])
  t.same(await list('name=*nd'), [1, [1]])
  t.same(await list(`id=${ids[1]}&id=${ids[2]?.toUpperCase()}`), [2, [1, 2]])
  t.same(await list(`id=${ids[1]}&id=${ids[1]}`), [1, [1]])
  t.same(await list(`id=${ids[1]}&id=${ids[2]}&name=charge`), [1, [2]])
  t.same(await list(`id=${nobody}`), [0, []])
  t.equal((await tenant.asManagement('GET', '/reactors?id=no-uuid')).status, 400)
})

t.test('a reactor needs no configuration where its formula has no settings', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo)
  for (const given of [{}, { configuration: null }, { configuration: {} }]) {
    const made = await tenant.asManagement('POST', '/reactors', {
      name: 'R',
      formula: { id: formula.id },
      ...given,
    })
    t.match(made, { status: 201, json: { configuration: {} } })
    const put = await tenant.asManagement('PUT', `/reactors/${made.json.id}`, { name: 'S', ...given })
    t.match(put, { status: 200, json: { name: 'S', configuration: {} } })
  }
})
