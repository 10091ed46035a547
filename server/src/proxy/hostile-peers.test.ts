import t from 'tap'
import { hostilePeers, limitFor, openPeer } from '../../verify/support/hostile-peers.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { target } from './_fixture.ts'

t.test('whatever a target does, a proxied request ends in time, and the next one has its share', async t => {
  const honest = await openReceiver(t)
  const peers = await Promise.all(hostilePeers.map(peer => openPeer(t, peer)))
  const known = (at: number) => `https://peer-${at}.example.com`
  const mapped = peers.map(({ origin }, at) => [known(at), origin])
  const proxyMapOrigins = { [target]: honest.origin, ...Object.fromEntries(mapped) }
  /** Sends over the wire, so that a response that is cut off shows. */
  const open = async (timeoutMs: number) => {
    const parts = {
      proxy: { limits: { timeoutMs, responseBytes: 100_000 } },
      admissionBounds: { proxied: { total: 1 } },
    }
    const vault = openVault(t, { proxyMapOrigins }, parts)
    const { privateKey } = await openTenant(vault)
    const { url } = await vault.listen()
    return async (origin: string) => {
      const headers = { 'SVC-API-KEY': privateKey, 'SVC-PROXY-URL': origin, 'Content-Type': 'text/plain' }
      try {
        const response = await fetch(`${url}/proxy`, { method: 'POST', headers, body: 'a'.repeat(500_000) })
        await response.arrayBuffer()
        return `${response.status} whole`
      } catch {
        return 'cut off'
      }
    }
  }
  const vaults = new Map<number, ReturnType<typeof open>>()
  for (const [at, peer] of peers.entries()) {
    const timeoutMs = limitFor(peer)
    const opened = vaults.get(timeoutMs) ?? open(timeoutMs)
    vaults.set(timeoutMs, opened)
    const ask = await opened
    // What is compressed is passed on as it is; the client of this test decompresses it.
    const isWhole = peer.decoded === 'size' || (peer.decoded ?? peer.body) === 'whole'
    const wanted = peer.head !== 200 ? '502 whole' : isWhole ? '200 whole' : 'cut off'
    t.equal(await ask(known(at)), wanted, peer.name)
    // On a slow machine an honest target may also need longer than the shortest limit; without its share it is a 429.
    let next = await ask(target)
    for (let tries = 0; next === '502 whole' && tries < 20; tries++) next = await ask(target)
    t.equal(next, '200 whole', `after ${peer.name}`)
    await peer.left()
  }
})
