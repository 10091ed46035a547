import t from 'tap'
import { webhooks as sdk } from '../../../sdk/src/index.ts'
import { startProcess } from '../../verify/support/process.ts'
import { openReceiver } from '../../verify/support/receiver.ts'

/** The whole server as an operator starts it, killed between a 202 and the delivery. */
t.test('what was accepted is delivered by the next server on the folder, and by it only once', async t => {
  const receiver = await openReceiver(t)
  const folder = t.testdir({})
  const args = ['--dev', '--port', '0', '--storage', `level:${folder}`, '--allow-private-callbacks']
  const first = startProcess(t, args)
  let { url } = await first.ready()
  const printed = async (name: string) => (await first.printed(new RegExp(`${name} +(\\S+)\\n`)))[1] ?? ''
  const keys = { private: await printed('private key'), management: await printed('management key') }
  const secret = await printed('webhook secret')
  const call = async (key: string, path: string, body: unknown) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json', 'SVC-TRACE-ID': 'of-the-202' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
  }
  const code = 'module.exports = async req => ({ tokenize: { made: req.args.value }, raw: { ran: true } })'
  const formula = await call(keys.management, '/reactor-formulas', { name: 'F', type: 'private', code })
  const reactor = await call(keys.management, '/reactors', {
    name: 'R',
    configuration: {},
    formula: { id: formula.json.id },
  })
  const token = await call(keys.private, '/tokens', { type: 'token', data: 's3cret' })
  const asked = await call(keys.private, `/reactors/${reactor.json.id}/react`, {
    args: { value: `{{ ${token.json.id} }}` },
    callback_url: `${receiver.origin}/hook`,
  })
  t.same(asked, { status: 202, json: undefined })
  await first.end('SIGKILL')

  const second = startProcess(t, args)
  url = (await second.ready()).url
  // Jobs that the first process claimed are free again when their lease ends.
  t.equal((await call('', '/_dev/clock', { advance_ms: 60_000 })).status, 200)
  await receiver.arrived(1)
  const delivery = receiver.received.at(-1)
  t.equal(delivery?.headers['svc-trace-id'], 'of-the-202')
  const told = await sdk.verify<unknown>(delivery?.body ?? '', delivery?.headers ?? {}, secret)
  t.match(told, { tokens: { made: String }, raw: { ran: true } })
  t.equal((await call('', '/_dev/clock', { advance_ms: 3 * 60 * 60 * 1000 })).status, 200)
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  t.equal(ids.size, 1, 'however often it is delivered, it is one webhook')
  const list = await fetch(`${url}/tokens`, { headers: { 'SVC-API-KEY': keys.private } })
  t.equal((await list.json()).pagination.total_items, 2, 'and its token is there once')
  t.equal((await second.end()).code, 0)
})
