import t from 'tap'
import { peerOf } from './peer.ts'

t.test('an IPv6 address is counted with its network of /64, an IPv4 address by itself', async t => {
  const same = ['2001:db8:0:1::7', '2001:db8:0:1:ffff::', '2001:db8:0:1:2:3:4:5']
  t.same(new Set(same.map(peerOf)), new Set(['2001:db8:0:1']))
  t.equal(peerOf('2001:db8::1'), '2001:db8:0:0')
  t.equal(peerOf('::1'), '0:0:0:0')
  t.equal(peerOf('fe80::1%eth0'), 'fe80:0:0:0')
  t.equal(peerOf('192.0.2.7'), '192.0.2.7')
  t.equal(peerOf('::ffff:192.0.2.7'), '192.0.2.7')
  t.not(peerOf('192.0.2.8'), peerOf('192.0.2.7'))
})
