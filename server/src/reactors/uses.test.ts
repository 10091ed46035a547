import t from 'tap'
import { echo, makeFormula, makeReactor, openReactors } from '../../verify/support/reactors.ts'
import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey, replacing } from '../../verify/support/stores.ts'
import { openTenant, type Reply, sender } from '../../verify/support/vault.ts'

/** Formulas and applications that a reactor uses cannot be deleted, even by simultaneous requests. */
const vault = openReactors(t)

t.test("an official formula that any tenant's reactor uses stays", async t => {
  const operator = await openTenant(vault, { operator: true })
  const formula = await makeFormula(operator, echo, { type: 'official' })
  const [a, b] = [await openTenant(vault), await openTenant(vault)]
  const used = [await makeReactor(a, formula.id), await makeReactor(b, formula.id)] as const
  const remove = async () => (await operator.asManagement('DELETE', `/reactor-formulas/${formula.id}`)).status
  t.equal(await remove(), 409)
  await a.asManagement('DELETE', `/reactors/${used[0].id}`)
  t.equal(await remove(), 409)
  await b.asManagement('DELETE', `/reactors/${used[1].id}`)
  t.equal(await remove(), 204)
})

t.test('of a delete and a create that race, one gives way', async t => {
  const tenant = await openTenant(vault)
  let deleted = 0
  for (let round = 0; round < 30; round++) {
    const formula = await makeFormula(tenant, echo)
    const application = await tenant.application({ permissions: ['token:read'] })
    const body = {
      name: 'R',
      configuration: {},
      formula: { id: formula.id },
      application: { id: application.id },
    }
    const create = () => tenant.asManagement('POST', '/reactors', body)
    const remove = (path: string) => tenant.asManagement('DELETE', path)
    const late = async <T>(turns: number, act: () => Promise<T>) => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      return act()
    }
    const [made, formulaGone, applicationGone] = await Promise.all([
      create(),
      late(round * 3, () => remove(`/reactor-formulas/${formula.id}`)),
      late(round * 2, () => remove(`/applications/${application.id}`)),
    ])
    if (made.status === 201) {
      for (const gone of [formulaGone, applicationGone])
        t.equal(gone.status, 409, `round ${round}: it was made`)
      t.equal(
        (await tenant.asManagement('GET', `/reactors/${made.json.id}`)).json.application.id,
        application.id,
      )
    } else {
      t.equal(made.status, 400, `round ${round}: it was not`)
      t.ok([formulaGone.status, applicationGone.status].includes(204))
      deleted++
    }
  }
  t.equal((await tenant.asManagement('GET', '/reactors')).json.pagination.total_items, 30 - deleted)
})

t.test('a reactor that is deleted with its formula while it is read is not there', async t => {
  const inner = await openTestStore(t)
  let beforeFormula: (() => Promise<unknown>) | undefined
  const store = replacing(inner, {
    get: async (kind, tenant, ids) => {
      const task = kind === 'formula' ? beforeFormula : undefined
      if (task) beforeFormula = undefined
      await task?.()
      return inner.get(kind, tenant, ids)
    },
  })
  const masterKey = newMasterKey()
  const open = () => openReactors(t, { masterKey }, { openStore: async () => replacing(store, {}) })
  const [vault, other] = [open(), open()]
  const tenant = await openTenant(vault)
  const ask = tenant.asManagement
  const askOther = sender(other, tenant.managementKey)
  const stays = await makeReactor(tenant, (await makeFormula(tenant, echo)).id)
  const ways: [string, (path: string) => Promise<Reply>, expected: object][] = [
    ['GET', path => ask('GET', path), { status: 404 }],
    ['PUT', path => ask('PUT', path, { name: 'x', configuration: {} }), { status: 404 }],
    ['react', path => tenant.send('POST', `${path}/react`, {}), { status: 404 }],
    ['list', () => ask('GET', '/reactors'), { status: 200, json: { data: [{ id: stays.id }] } }],
  ]
  for (const [name, read, expected] of ways) {
    await t.test(name, async t => {
      const formula = await makeFormula(tenant, echo)
      const path = `/reactors/${(await makeReactor(tenant, formula.id)).id}`
      t.equal((await read(path)).status, 200, 'control')
      beforeFormula = async () => {
        t.equal((await askOther('DELETE', path)).status, 204)
        t.equal((await askOther('DELETE', `/reactor-formulas/${formula.id}`)).status, 204)
      }
      t.match(await read(path), expected)
      t.equal(beforeFormula, undefined, 'it was deleted meanwhile')
    })
  }
})

t.test('many reactors at once are all counted', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo)
  const made = await Promise.all(Array.from({ length: 20 }, () => makeReactor(tenant, formula.id)))
  const path = `/reactor-formulas/${formula.id}`
  const [last, ...others] = made
  await Promise.all(others.map(({ id }) => tenant.asManagement('DELETE', `/reactors/${id}`)))
  t.equal((await tenant.asManagement('DELETE', path)).status, 409)
  await tenant.asManagement('DELETE', `/reactors/${last.id}`)
  t.equal((await tenant.asManagement('DELETE', path)).status, 204)
})
