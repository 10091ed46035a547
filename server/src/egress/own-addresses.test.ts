import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import t from 'tap'
import { makeToken, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { createCallbackSender } from './callback-sender.ts'
import { ownAddresses } from './own-addresses.ts'

t.test('every name of this machine counts, at our ports only', async t => {
  const isOwn = ownAddresses(() => [4000, 9000])
  const interfaces = Object.values(networkInterfaces()).flatMap(found => found ?? [])
  const own = [
    '127.0.0.1',
    '127.9.8.7',
    '0.0.0.0',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::1%lo',
  ]
  for (const address of [...own, ...interfaces.map(({ address }) => address)]) {
    t.ok(isOwn(address, 4000), address)
    t.ok(isOwn(address, 9000), address)
    t.notOk(isOwn(address, 4001), `${address}, another port`)
  }
  for (const address of ['93.184.215.14', '10.99.99.99', '::2', '2606:4700::1', '::ffff:93.184.215.14'])
    t.notOk(isOwn(address, 4000), address)
  t.notOk(ownAddresses(() => [])('127.0.0.1', 4000), 'a server that does not listen')
})

t.test('a name is checked when it is resolved', async t => {
  const receiver = await openReceiver(t)
  const post = (port: number) =>
    createCallbackSender({
      allowPrivate: true,
      isOwn: ownAddresses(() => [port]),
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })({
      ...{ url: `http://hooks.test:${receiver.port}/`, tenant: 't', reactor: 'r', traceId: 'x' },
      ...{ headers: {}, body: Buffer.from('{}'), signal: new AbortController().signal },
    })
  await t.rejects(post(receiver.port), { name: 'EgressError', reason: 'refused' })
  t.equal(receiver.received.length, 0)
  t.equal(await post(receiver.port + 1), 200, 'control: the same name, when the port is not ours')
})

t.test('a vault sends nothing to itself: no webhook, no proxied request, no fetch', async t => {
  const receiver = await openReceiver(t)
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise(resolve => free.close(resolve))
  const [self, other] = ['https://self.example', 'https://other.example']
  const mapped = { [self]: `http://localhost:${port}`, [other]: receiver.origin }
  const vault = openReactors(t, {
    ...{ dev: true, allowPrivateCallbacks: true, proxyMapOrigins: mapped, formulaMapOrigins: mapped },
  })
  await vault.listen({ port })
  const tenant = await openTenant(vault)
  const token = await makeToken(tenant, { data: 'kept' })
  const isThere = async () => (await tenant.send('GET', `/tokens/${token}`)).status === 200
  const react = await reactorOn(
    tenant,
    `module.exports = async ({ args }) => {
      const fetched = args.url && fetch(args.url + '/_dev/reset', { method: 'POST' })
      return { raw: fetched ? await fetched.then(({ status }) => status, () => 'refused') : 'nothing' }
    }`,
    { formula: { request_parameters: [{ name: 'url', type: 'string', optional: true }] } },
  )

  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '127.1', '[::ffff:127.0.0.1]']) {
    t.equal((await react({ args: {}, callback_url: `http://${host}:${port}/_dev/reset` })).status, 202)
    await vault.clock.advance(0)
    t.ok(await isThere(), `a callback to ${host}`)
  }
  t.equal((await react({ args: {}, callback_url: receiver.origin })).status, 202)
  await vault.clock.advance(0)
  t.equal(receiver.received.length, 1, 'control: a callback to another port of this machine')

  const proxied = (origin: string) =>
    tenant.send('POST', '/proxy/_dev/reset', undefined, { 'SVC-PROXY-URL': origin })
  t.match(await proxied(self), { status: 502, json: { detail: /or is this server/ } })
  t.ok(await isThere())
  t.equal((await proxied(other)).status, 200, 'control')

  t.equal((await react({ args: { url: self } })).json.raw, 'refused')
  t.ok(await isThere())
  t.equal((await react({ args: { url: other } })).json.raw, 200, 'control')
})
