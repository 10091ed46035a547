import t from 'tap'
import { openTenant, openVault } from '../../../verify/support/vault.ts'
import { requestOf } from './fetch-adapter.ts'

/** What a realm of its own has in the place of a class of Node: the same members, and another class. */
const foreignSignal = (aborted = false) => {
  const listeners = new Set<() => void>()
  const signal = {
    aborted,
    reason: 'gone',
    addEventListener: (_: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
    abort: () => {
      signal.aborted = true
      for (const listener of listeners) listener()
    },
  }
  return signal
}

t.test('a request and a signal of another realm are taken by their members', async t => {
  const signal = foreignSignal()
  const foreign = {
    url: 'http://vault/tokens?a=b',
    method: 'POST',
    headers: new Map([['content-type', 'application/json']]),
    signal,
    arrayBuffer: async () => new TextEncoder().encode('{"a":1}').buffer,
  }
  const request = await requestOf(foreign as never, undefined)
  t.equal(request.url, foreign.url)
  t.equal(request.method, 'POST')
  t.equal(request.headers.get('content-type'), 'application/json')
  t.equal(await request.text(), '{"a":1}')
  foreign.signal.abort()
  t.match(request.signal, { aborted: true, reason: 'gone' })
  const own = new Request('http://vault/tokens')
  t.equal(await requestOf(own, undefined), own, 'control: one of this realm is used as it is')
})

t.test('a vault gives up when a signal of another realm aborts', async t => {
  const vault = openVault(t)
  const { privateKey } = await openTenant(vault)
  const headers = { 'SVC-API-KEY': privateKey }
  const signal = foreignSignal()
  t.equal((await vault.fetch('http://vault/tokens', { headers, signal: signal as never })).status, 200)
  const aborted = foreignSignal(true) as never
  const reasonOf = (call: Promise<unknown>) => call.then(() => 'done').catch(reason => reason)
  t.equal(await reasonOf(vault.fetch('http://vault/tokens', { headers, signal: aborted })), 'gone')
  const pending = vault.fetch('http://vault/tokens', { headers, signal: signal as never })
  signal.abort()
  t.equal(await reasonOf(pending), 'gone')
})
