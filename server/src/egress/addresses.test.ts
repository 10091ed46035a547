import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import t from 'tap'
import { makeToken, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { isPublicAddress, ownAddresses } from './addresses.ts'
import { createCallbackSender } from './callback-sender.ts'

const blocked = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.254'],
  ['link-local, and a cloud’s metadata', '169.254.0.1', '169.254.169.254'],
  ['private', '172.16.0.0', '172.31.255.255'],
  ['protocol assignments', '192.0.0.1', '192.0.0.255'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1'],
  ['6to4', '192.88.99.1', '2002:7f00:1::', '2002:a00:1::1'],
  ['private', '192.168.0.0', '192.168.255.255'],
  ['benchmarks', '198.18.0.1', '198.19.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  ['reserved and broadcast', '240.0.0.1', '255.255.255.255'],
  ['unspecified and loopback', '::', '::1'],
  ['mapped', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a00:1', '::8.8.8.8'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  ['unique local', 'fc00::1', 'fdff:ffff::1'],
  ['link-local', 'fe80::1', 'febf::1', 'fe80::1%eth0', 'fec0::1'],
  ['discard and Teredo', '100::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['no address', '', 'localhost', '127.1', '2130706433', '0x7f000001', '1.2.3', '2a00::1%0', '[::1]'],
] as const

/** Addresses just outside of each range. */
const open = `1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
    169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.0.3.1 192.167.255.255
    192.169.0.0 198.17.255.255 198.20.0.0 198.51.101.1 203.0.112.255 223.255.255.255 2000::1
    2001:200::1 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700:4700::1111 3ffe:ffff::1`.split(/\s+/)

t.test('special-purpose addresses are blocked', async t => {
  for (const [name, ...addresses] of blocked) {
    for (const address of addresses) t.notOk(isPublicAddress(address), `${name}: ${address}`)
  }
})

t.test('neighbouring public addresses are allowed', async t => {
  for (const address of open) t.ok(isPublicAddress(address), address)
})

t.test('no IPv4 address becomes public by being embedded in IPv6', async () => {
  const octet = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), parts => {
      const dotted = parts.join('.')
      const hex = parts.map(part => part.toString(16).padStart(2, '0'))
      const groups = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`
      return [`::ffff:${dotted}`, `::${dotted}`, `64:ff9b::${dotted}`, `2002:${groups}::`].every(
        address => !isPublicAddress(address),
      )
    }),
  )
})

t.test('every name of this machine counts, at our ports only', async t => {
  const isOwn = ownAddresses(() => [4000, 9000])
  const interfaces = Object.values(networkInterfaces()).flatMap(found => found ?? [])
  const own = '127.0.0.1 127.9.8.7 0.0.0.0 ::1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 ::1%lo'.split(' ')
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
