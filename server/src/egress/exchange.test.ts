import t from 'tap'
import { openReceiver } from '../../testing/receiver.ts'
import { exchange } from './exchange.ts'

t.test('a literal address is checked like a resolved one', async t => {
  const receiver = await openReceiver(t)
  const asked: string[] = []
  const send = (host: string, isAllowed: boolean) =>
    exchange({
      url: new URL(`http://${host}:${receiver.port}/`),
      method: 'GET',
      headers: {},
      accepts: address => {
        asked.push(address)
        return isAllowed
      },
      resolve: async () => t.fail('nothing to look up') as never,
      signal: AbortSignal.timeout(5000),
    })
  for (const host of ['127.0.0.1', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]']) {
    await t.rejects(send(host, false), { name: 'EgressError', reason: 'refused' }, host)
  }
  t.same(asked, ['127.0.0.1', '127.0.0.1', '127.0.0.1', '::1', '::ffff:7f00:1'])
  t.equal(receiver.received.length, 0)
  const response = await send('127.0.0.1', true)
  t.equal(response.statusCode, 200, 'control')
  response.destroy()
})
