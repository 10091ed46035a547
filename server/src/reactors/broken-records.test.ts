import t from 'tap'
import { echo, makeFormula, makeReactor, openReactors } from '../../verify/support/reactors.ts'
import { newMasterKey, OpenMemoryEngine, sealedOn } from '../../verify/support/stores.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'
import { silentLog } from '../base/log.ts'
import type { DocumentKind } from '../storage/port/port.ts'

/** A record that does not open takes no other one with it. */
async function open(context: Parameters<typeof openReactors>[0]) {
  const store = new OpenMemoryEngine()
  const masterKey = newMasterKey()
  const vault = openReactors(context, { masterKey, log: silentLog }, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const view = await sealedOn(store, masterKey).tenant(tenant.tenantId)
  const damage = (kind: DocumentKind, id: string) => {
    if (!view) throw new Error('the tenant is there')
    store.tamper({ kind, tenant: view.tenant, id: view.address(kind, id) }, () => ({ box: new Uint8Array() }))
  }
  const list = async (path: string) => {
    const { status, json } = await tenant.asManagement('GET', path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return [json.pagination.total_items, json.data.map(({ name }: JsonObject) => name)]
  }
  return { tenant, damage, list }
}

t.test('lists leave a broken formula out, and what is on it', async t => {
  const { tenant, damage, list } = await open(t)
  const broken = await makeFormula(tenant, echo, { name: 'Broken' })
  const whole = await makeFormula(tenant, echo, { name: 'Whole' })
  const on = await makeReactor(tenant, broken.id, { name: 'On the broken one' })
  await makeReactor(tenant, whole.id, { name: 'On the whole one' })
  damage('formula', broken.id)
  const shipped = ['Deduplicating card tokenizer', 'Card BIN and Luhn check']
  t.same(await list('/reactor-formulas'), [4, ['Whole', ...shipped]])
  t.same(await list('/reactor-formulas?name=ole'), [1, ['Whole']])
  t.same(await list('/reactors'), [2, ['On the whole one']])
  t.equal((await tenant.asManagement('GET', `/reactor-formulas/${broken.id}`)).status, 500)
  t.equal((await tenant.asManagement('GET', `/reactors/${on.id}`)).status, 500)
  t.equal((await tenant.send('POST', `/reactors/${on.id}/react`, {})).status, 500)
})

t.test('lists leave a broken reactor out', async t => {
  const { tenant, damage, list } = await open(t)
  const formula = await makeFormula(tenant, echo)
  const broken = await makeReactor(tenant, formula.id, { name: 'Broken' })
  const whole = await makeReactor(tenant, formula.id, { name: 'Whole' })
  damage('reactor', broken.id)
  t.same(await list('/reactors'), [2, ['Whole']])
  t.same(await list('/reactors?name=*'), [1, ['Whole']])
  t.same(await list(`/reactors?id=${broken.id}&id=${whole.id}`), [2, ['Whole']])
  t.equal((await tenant.send('POST', `/reactors/${broken.id}/react`, {})).status, 500)
})
