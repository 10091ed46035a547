import { request } from 'node:http'
import t from 'tap'
import { openVault } from '../../../verify/support/vault.ts'
import type { LogFields } from '../../base/log.ts'
import { clientAddressBehind } from './client-address.ts'

const proxies = ['10.0.0.0/8', '2001:db8::/32', '127.0.0.1']

const addressOf = (remoteAddress: string, headers: Record<string, string>, trusted = proxies) =>
  clientAddressBehind(trusted)({ socket: { remoteAddress }, headers })

t.test('the address is the first from the right that is not that of a trusted proxy', async t => {
  const cases: readonly [header: string, found: string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['6.6.6.6, 192.0.2.7', '192.0.2.7'],
    ['6.6.6.6, 192.0.2.7, 10.1.1.1', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['2001:db9::7', '2001:db9::7'],
    ['[2001:db9::7]:4711', '2001:db9::7'],
    ['10.1.1.1, 10.1.1.2', '10.1.1.1'],
    // What a trusted proxy wrote is no address: it is the last that is known.
    ['6.6.6.6, unknown', '10.0.0.5'],
    ['6.6.6.6, <script>, 10.1.1.1', '10.1.1.1'],
    ['', '10.0.0.5'],
  ]
  for (const [header, found] of cases) {
    t.equal(addressOf('10.0.0.5', { 'x-forwarded-for': header }), found, header)
    t.equal(addressOf('6.6.6.7', { 'x-forwarded-for': header }), '6.6.6.7', `${header}, of a stranger`)
  }
  t.equal(addressOf('::ffff:10.0.0.5', { 'x-forwarded-for': '192.0.2.7' }), '192.0.2.7')
  t.equal(addressOf('10.0.0.5', {}), '10.0.0.5')
})

t.test('Forwarded is read as RFC 7239 has it', async t => {
  const cases: readonly [header: string, found: string][] = [
    ['for=192.0.2.7', '192.0.2.7'],
    ['For="192.0.2.7:4711";proto=https;by=10.0.0.5', '192.0.2.7'],
    ['for=6.6.6.6, for="[2001:db9::7]:4711"', '2001:db9::7'],
    ['for=6.6.6.6, for=192.0.2.7 ; host=a , for=10.1.1.1', '192.0.2.7'],
    ['for=192.0.2.7;host="a;for=6.6.6.6"', '192.0.2.7'],
    ['for=192.0.2.7;host="a, for=\\"6.6.6.6\\""', '192.0.2.7'],
    ['for=6.6.6.6, proto=https', '10.0.0.5'],
    ['for=_hidden', '10.0.0.5'],
    ['for=6.6.6.6, "', '10.0.0.5'],
    ['for="6.6.6.6', '10.0.0.5'],
  ]
  for (const [header, found] of cases) {
    t.equal(addressOf('10.0.0.5', { forwarded: header }), found, header)
    t.equal(addressOf('6.6.6.7', { forwarded: header }), '6.6.6.7', `${header}, of a stranger`)
  }
})

t.test('two headers that differ are not believed', async t => {
  const both = (forwarded: string) => addressOf('10.0.0.5', { forwarded, 'x-forwarded-for': '192.0.2.7' })
  t.equal(both('for=192.0.2.7'), '192.0.2.7')
  t.equal(both('for=6.6.6.6'), '10.0.0.5')
  t.equal(both('"'), '10.0.0.5')
})

t.test('the log has the address of the client', async t => {
  for (const [trustedProxies, peer] of [
    [['127.0.0.1'], '192.0.2.7'],
    [['127.0.0.2/32'], '127.0.0.1'],
    [[], '127.0.0.1'],
  ] as const) {
    const lines: LogFields[] = []
    const log = {
      info: (_event: string, fields: LogFields = {}) => lines.push(fields),
      warn() {},
      error() {},
    }
    const vault = openVault(t, { trustedProxies, log })
    const { url } = await vault.listen()
    await new Promise<void>((resolve, reject) => {
      const sent = request(`${url}/tokens`, { headers: { 'X-Forwarded-For': '6.6.6.6, 192.0.2.7' } })
      sent.once('error', reject)
      sent.once('response', response => response.resume().once('end', resolve))
      sent.end()
    })
    t.equal(lines.find(({ route }) => route === '/tokens')?.peer, peer)
  }
})
