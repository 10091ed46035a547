import t from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { createLog } from '../base/log.ts'
import { FormulaConsole } from './console.ts'

const code = `module.exports = async req => {
  console.log('printed', req.args.what)
  console.error('and this')
  return {}
}`

t.test('what a formula prints is shown to its owner, and is in no log', async t => {
  const said: string[] = []
  const vault = openReactors(t, { log: createLog(line => said.push(line)) })
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const react = await reactorOn(tenant, code)
  t.equal((await react({ args: { what: 's3cret' } })).status, 200)
  const path = `/_dev/reactors/${react.id}/console`
  const { status, json } = await tenant.asManagement('GET', path)
  t.equal(status, 200)
  t.match(json.data, [
    { level: 'log', text: 'printed s3cret', at: /Z$/ },
    { level: 'error', text: 'and this' },
  ])
  t.notMatch(said.join(''), 's3cret')
  t.equal((await tenant.as(undefined)('GET', path)).status, 401)
  t.equal((await tenant.send('GET', path)).status, 403)
  t.equal((await other.asManagement('GET', path)).status, 404)
  t.equal((await tenant.asManagement('GET', path, undefined, { origin: 'https://a.example' })).status, 403)
  await vault.reset()
  t.equal((await tenant.asManagement('GET', path)).status, 401, 'as after any reset')
})

t.test('the lines of all formulas are listed by the name of their reactor, oldest first', async t => {
  const vault = openReactors(t)
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const first = await reactorOn(tenant, code, { reactor: { name: 'First' } })
  const second = await reactorOn(tenant, code, { reactor: { name: 'Second' } })
  const long =
    "module.exports = async () => { for (let n = 0; n < 20; n++) console.log('x'.repeat(2000)); return {} }"
  const list = async () => (await tenant.asManagement('GET', '/_dev/console')).json.data
  t.same(await list(), [])
  await first({ args: { what: 1 } })
  await second({ args: { what: 2 } })
  t.match(await list(), [
    { reactor_id: first.id, reactor_name: 'First', level: 'log', text: 'printed 1', at: /Z$/ },
    { reactor_name: 'First', text: 'and this' },
    { reactor_id: second.id, reactor_name: 'Second', text: 'printed 2' },
    { reactor_name: 'Second', text: 'and this' },
  ])
  t.same((await other.asManagement('GET', '/_dev/console')).json, { data: [] }, 'each tenant its own')
  t.equal((await tenant.send('GET', '/_dev/console')).status, 403, 'not with a private key')
  t.equal((await tenant.asManagement('DELETE', `/reactors/${second.id}`)).status, 204)
  t.equal((await list()).length, 2, 'of reactors that are there')
  for (const name of ['a', 'b', 'c']) {
    const react = await reactorOn(tenant, long, { reactor: { name } })
    for (let time = 0; time < 5; time++) await react()
  }
  const lines: { text: string }[] = await list()
  t.equal(lines.length, 250, '500,000 characters of them')
})

t.test('without --dev nothing is kept, and the path is a 404', async t => {
  const vault = openReactors(t, { dev: false })
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, code)
  t.equal((await react({ args: { what: 'x' } })).status, 200)
  t.equal((await tenant.asManagement('GET', `/_dev/reactors/${react.id}/console`)).status, 404)
})

t.test('only the last lines are kept, of each reactor its own', async t => {
  const lines = new FormulaConsole()
  for (let count = 0; count < 300; count++)
    lines.print('t', 'r', { level: 'log', text: `${count}`.padEnd(5000) }, 0)
  const kept = lines.read('t', 'r')
  t.equal(kept.length, 100)
  t.match(kept[0]?.text, /^200 /)
  t.equal(kept[0]?.text.length, 2000)
  t.same(lines.read('t', 'other'), [])
})
