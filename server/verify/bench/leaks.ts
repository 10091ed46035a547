/** Time to search 100 MB of text for 10,000 values. Run by `npm run bench -- leaks`. */
import { createVault } from '../../src/vault.ts'
import { ownCpuUs } from './measure.ts'
import { say } from './table.ts'

const vault = createVault({ storage: 'memory:', dev: true })
const tenant = await vault.dev.createTenant()
const create = (at: number) =>
  vault.fetch('http://vault/tokens', {
    method: 'POST',
    headers: { 'SVC-API-KEY': tenant.privateKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'token', data: `customer ${at * 7919} of shop ${at}` }),
  })
for (let at = 0; at < 10_000; at++) await create(at)
const line =
  '{"time":"2030-01-01T00:00:00.000Z","level":"info","event":"order placed","order":8234567,"total":"12.90 EUR"}\n'
const text = line.repeat(Math.ceil(100_000_000 / line.length))
const from = performance.now()
const cpu = ownCpuUs()
const { places, values } = await vault.dev.forTenant(tenant).leaks.find(`${text}customer 7919 of shop 1`)
const seconds = (performance.now() - from) / 1000
const cost = `${seconds.toFixed(2)} s, ${((ownCpuUs() - cpu) / 1e6).toFixed(2)} s of processor time`
say(`${values} values, ${text.length} characters, ${places.length} place: ${cost}`)
await vault.close()
