import { once } from 'node:events'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { ServiceError } from '../../base/errors.ts'
import type { Core } from '../pipeline/core.ts'
import {
  core,
  head,
  long,
  open,
  peer,
  readingMs,
  shortMs,
  text,
  trickle,
  untilConnections,
} from './_raw-connection.ts'
import { reserve } from './request-shares.ts'

t.test('no request is begun on a connection that does not read the response before it', async t => {
  const begun = new Map<string, number>()
  const counted: Core = request => {
    begun.set(request.path, (begun.get(request.path) ?? 0) + 1)
    return core(request)
  }
  const listening = await open(t, {}, counted)
  const unread = peer(t, listening)
  unread.socket.pause()
  unread.socket.write(head('GET', '/long') + head('GET', '/unread').repeat(20))
  peer(t, listening).socket.write(head('GET', '/long') + head('GET', '/read').repeat(20))
  while (begun.get('/read') !== 20) await turn()
  t.equal(begun.get('/long'), 2)
  t.equal(begun.get('/unread'), undefined)
})

t.test('a body that arrives too slowly is refused, a slow server is not its fault', async t => {
  let go = () => {}
  const stalled = new Promise<void>(resolve => {
    go = resolve
  })
  const stalling: Core = async request => {
    if (request.query === 'stall') await stalled
    return core(request)
  }
  const bounds = { bodyGraceMs: shortMs, bodyBytesPerSecond: 100_000, lingerMs: readingMs }
  const listening = await open(t, bounds, stalling)
  const sends = head('POST', '/read', 'Content-Length: 500000')
  const slow = peer(t, listening)
  const quick = peer(t, listening)
  const waiting = peer(t, listening)
  waiting.socket.write(`${head('POST', '/read?stall', 'Content-Length: 9')}x`)
  slow.socket.write(sends)
  void trickle(slow.socket)
  quick.socket.write(sends + 'x'.repeat(500_000))
  t.match(await slow.until(/408/), /^HTTP\/1\.1 408 /)
  t.match(await quick.until(/500000$/), /^HTTP\/1\.1 200 /, 'the control')
  await wait(2 * shortMs)
  waiting.socket.write('x'.repeat(8))
  go()
  t.match(await waiting.until(/9$/), /^HTTP\/1\.1 200 /)
})

/** A server whose large responses to two callers fill the share of their peer, as neither reads. */
async function withUnread(t: Test, answerTimeoutMs: number) {
  const sized: Core = async request => {
    const response = { status: 200, headers: { ...text }, body: long.repeat(16) }
    const isRead = request.method === 'GET'
    return request.path === '/small'
      ? { status: 200, headers: { ...text }, body: 'answered' }
      : reserve(request, response, { isRead, traceId: 'trace' })
  }
  const listening = await open(t, { answerTimeoutMs }, sized, { responseBytes: { peer: 2 ** 25 } })
  for (const { socket } of [peer(t, listening), peer(t, listening)]) {
    socket.pause()
    socket.write(head('GET', '/'))
  }
  const get = async () => {
    const response = await fetch(listening.url)
    return { status: response.status, length: (await response.text()).length }
  }
  return { listening, get }
}

t.test('a response that is too large for its share becomes a refusal, or closes the connection', async t => {
  const { listening, get } = await withUnread(t, 60_000)
  while ((await get()).status !== 429) await turn()
  const problem = await fetch(listening.url)
  t.match(await problem.json(), { type: 'urn:surrogate:error:rate_limited', status: 429 })
  t.equal(problem.headers.get('retry-after'), '1')
  await t.rejects(fetch(listening.url, { method: 'POST' }), 'a change must not look undone')
  t.equal((await fetch(`${listening.url}/small`)).status, 200, 'small responses are free')
})

t.test('who reads nothing of a response is let go, and its share with it', async t => {
  const { get } = await withUnread(t, 500)
  await get()
  while ((await get()).status === 429) await wait(5)
  t.same(await get(), { status: 200, length: 16 * long.length })
})

t.test('a peer and a tenant have shares of the connections, and replace their own idle ones', async t => {
  let waiting = 0
  const tenants: Core = async ({ path, identified, headers }) => {
    try {
      identified?.({ tenant: path, application: path })
    } catch (error) {
      return { status: (error as ServiceError).status, headers: {}, body: 'refused' }
    }
    if (headers['x-wait']) {
      waiting++
      await new Promise(() => {})
    }
    return { status: 200, headers: {}, body: 'answered' }
  }
  const listening = await open(t, { reserveTimeoutMs: shortMs, lingerMs: shortMs }, tenants, {
    connections: { total: 9, tenant: 2, peer: 5 },
  })
  const ask = async (path: string, ...lines: string[]) => {
    const caller = peer(t, listening)
    caller.socket.write(head('GET', path, ...lines))
    if (lines.length === 0) await caller.until(/answered$|refused$/)
    return caller
  }
  for (let time = 0; time < 3; time++) t.match((await ask('/a')).received(), /answered$/)
  await untilConnections(listening, 2)
  t.pass('the third is in the place of an idle connection of this tenant')
  const occupy = async (path: string) => {
    const before = waiting
    const caller = await ask(path, 'x-wait: 1')
    while (waiting === before) await turn()
    return caller
  }
  await occupy('/a')
  await occupy('/a')
  await untilConnections(listening, 2)
  t.match((await ask('/a')).received(), /^HTTP\/1\.1 429 /)
  t.match((await ask('/b')).received(), /^HTTP\/1\.1 200 /, 'the control')
  await occupy('/c')
  await occupy('/d')
  const last = await occupy('/e')
  await untilConnections(listening, 5)
  const surplus = peer(t, listening)
  surplus.socket.write(head('GET', '/f'))
  t.match(await surplus.until(/\r\n\r\n$/), /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/)
  surplus.socket.destroy()
  last.socket.destroy()
  await untilConnections(listening, 4)
  t.match((await ask('/f')).received(), /^HTTP\/1\.1 200 /, 'there is room again')
})

t.test('a probe gets in where every connection is taken, and nothing else does', async t => {
  let begun = 0
  const busy: Core = async ({ path, identified }) => {
    if (path === '/wait') {
      identified?.({ tenant: 'a', application: 'a' })
      begun++
      await new Promise(() => {})
    }
    return { status: 200, headers: {}, body: 'answered' }
  }
  const listening = await open(t, { reserve: 2, reserveTimeoutMs: shortMs, lingerMs: shortMs }, busy, {
    connections: { total: 3 },
  })
  for (let taken = 1; taken <= 3; taken++) {
    peer(t, listening).socket.write(head('GET', '/wait'))
    // Until its request is parsed, a connection is idle, and another one may take its place.
    while (begun < taken) await turn()
  }
  for (let time = 0; time < 10; time++) {
    // These stay, each in the place of an older one.
    await once(peer(t, listening).socket, 'connect')
    const probe = peer(t, listening)
    probe.socket.write(head('GET', '/livez?x'))
    t.match(await probe.until(/answered$/), /^HTTP\/1\.1 200 [\s\S]*Connection: close/)
    const other = peer(t, listening)
    other.socket.write(head('GET', '/tokens'))
    t.match(await other.until(/\r\n\r\n$/), /^HTTP\/1\.1 503 /)
  }
  t.ok(listening.connections() <= 5)
})

t.test('large bodies share a limit that small ones do not use', async t => {
  const listening = await open(t, { freeBodyBytes: 1000 }, core, { requestBytes: { total: 3000 } })
  const slow = peer(t, listening)
  slow.socket.write(head('POST', '/read', 'Content-Length: 3501') + 'x'.repeat(3500))
  const post = async (length: number) => {
    const response = await fetch(`${listening.url}/read`, { method: 'POST', body: 'x'.repeat(length) })
    return { status: response.status, text: await response.text() }
  }
  // The slow one takes its share when its bytes arrive.
  while ((await post(1501)).status === 200) await turn()
  t.same(await post(1501), { status: 503, text: 'too many large requests at once; try again in a while' })
  const refused = peer(t, listening)
  refused.socket.write(`${head('POST', '/read', 'Content-Length: 900000')}${'x'.repeat(6000)}`)
  await refused.until(/503/)
  refused.socket.write('x'.repeat(894_000) + head('GET', '/next'))
  t.match(
    await refused.until(/answered$/),
    /503[\s\S]* 200 /,
    'the connection goes on behind the refused body',
  )
  t.same(await post(1500), { status: 200, text: '1500' })
  t.same(await post(1000), { status: 200, text: '1000' })
  slow.socket.write('x')
  await slow.until(/3501$/)
  t.same(await post(4000), { status: 200, text: '4000' }, 'what an answered request took is free again')
})

t.test('unread responses count for their caller, who begins nothing more until one is read', async t => {
  for (const scope of ['session', 'application', 'tenant', 'peer'] as const) {
    let begun = 0
    const sized: Core = async request => {
      const caller = JSON.parse(decodeURIComponent(request.query))
      try {
        request.identified?.(caller)
      } catch (error) {
        return { status: (error as ServiceError).status, headers: {}, body: 'refused at once' }
      }
      begun++
      const pieces = async function* () {
        for (let sent = 0; sent < 256; sent++) yield long.slice(0, 2 ** 16)
      }
      const response = request.path === '/pieces' ? { pieces: pieces() } : { body: long.repeat(16) }
      return reserve(request, { status: 200, headers: {}, ...response }, { isRead: true, traceId: 'trace' })
    }
    const listening = await open(t, {}, sized, { responseBytes: { [scope]: 2 ** 14 } })
    const own = { tenant: 'a', application: 'b', ...(scope === 'session' ? { session: 'c' } : {}) }
    const others = { tenant: 'd', application: 'e', session: 'f' }
    const path = (kind: string, caller: object) => `/${kind}?${encodeURIComponent(JSON.stringify(caller))}`
    const ask = async (kind: string, caller: object) => {
      const asking = peer(t, listening)
      asking.socket.write(head('GET', path(kind, caller)))
      const [, status, connection] =
        /^HTTP\/1\.1 (\d+) [\s\S]*?Connection: (.*)/i.exec(await asking.until(/\r\n\r\n/)) ?? []
      asking.socket.destroy()
      return `${status} ${connection}`
    }
    for (const kind of ['whole', 'pieces']) {
      const unread = peer(t, listening)
      unread.socket.pause()
      const before = begun
      unread.socket.write(head('GET', path(kind, own)))
      while (begun === before) await turn()
      t.equal(await ask(kind, own), '429 close', `${scope} ${kind}`)
      if (scope !== 'peer') t.equal(await ask(kind, others), '200 keep-alive', 'the control')
      const last = begun
      if (scope === 'session' || scope === 'application') {
        t.equal(await ask(kind, own), '429 close')
        t.equal(begun, last, 'what would be refused in the end is not begun')
      }
      unread.socket.destroy()
      while ((await ask('whole', own)) !== '200 keep-alive') await wait(5)
    }
  }
})

t.test('who hangs up has its share until its request is done, and no longer', async t => {
  for (const kind of ['whole', 'pieces'] as const) {
    let whenClosed = Promise.resolve()
    const answers: (() => void)[] = []
    const slow: Core = async request => {
      try {
        await request.readBody(2 * long.length)
      } catch (error) {
        return { status: (error as ServiceError).status, headers: {} }
      }
      if (request.path === '/slow') {
        t.equal(request.isGone?.(), false)
        whenClosed = new Promise(resolve => request.onClose?.(resolve))
        await new Promise<void>(resolve => answers.push(resolve))
        t.equal(request.isGone?.(), true)
      }
      const pieces = async function* () {
        yield long
      }
      const body = kind === 'whole' ? { body: long } : { pieces: pieces() }
      return reserve(request, { status: 200, headers: {}, ...body }, { isRead: true, traceId: 'trace' })
    }
    const bounds = { requestBytes: { total: long.length }, responseBytes: { total: long.length } }
    const listening = await open(t, {}, slow, bounds)
    const send = () => fetch(listening.url, { method: 'POST', body: long })
    const impatient = peer(t, listening)
    impatient.socket.write(head('POST', '/slow', `Content-Length: ${long.length}`) + long)
    while (answers.length === 0) await turn()
    impatient.socket.destroy()
    await whenClosed
    t.equal((await send()).status, 503, kind)
    for (const answer of answers) answer()
    for (let count = 0; count < 3; count++) {
      const response = await send()
      t.equal(response.status, 200)
      t.equal((await response.text()).length, long.length, kind)
    }
  }
})

t.test('applications and sessions have shares of the connections of their tenant', async t => {
  for (const scope of ['application', 'session'] as const) {
    const waiting: Core = async ({ path, identified, headers }) => {
      try {
        identified?.({ tenant: 'a', application: 'b', session: 'c', [scope]: path })
      } catch (error) {
        return { status: (error as ServiceError).status, headers: {}, body: 'refused' }
      }
      if (headers['x-wait']) await new Promise(() => {})
      return { status: 200, headers: {}, body: 'answered' }
    }
    const listening = await open(t, {}, waiting, { connections: { total: 9, [scope]: 1 } })
    peer(t, listening).socket.write(head('GET', '/own', 'x-wait: 1'))
    await untilConnections(listening, 1)
    while ((await fetch(`${listening.url}/own`)).status !== 429) await turn()
    t.equal((await fetch(`${listening.url}/other`)).status, 200, 'the control')
  }
})

t.test('what is in memory for everybody takes nothing of a share', async t => {
  const body = Buffer.alloc(2 ** 24, 'x')
  const shared: Core = async request => {
    const content = request.path === '/shared' ? { body, isShared: true } : { body }
    return reserve(request, { status: 200, headers: {}, ...content }, { isRead: true, traceId: 'trace' })
  }
  const listening = await open(t, {}, shared, { responseBytes: { total: 2 ** 24 + 2 ** 14 } })
  for (let count = 0; count < 5; count++) {
    const unread = peer(t, listening)
    unread.socket.pause()
    unread.socket.write(head('GET', '/shared'))
  }
  await untilConnections(listening, 5)
  t.equal((await (await fetch(listening.url)).arrayBuffer()).byteLength, body.length)
  const own = peer(t, listening)
  own.socket.pause()
  own.socket.write(head('GET', '/'))
  await untilConnections(listening, 6)
  while ((await fetch(listening.url)).status === 200) await turn()
  t.equal((await fetch(listening.url)).status, 503, 'the control')
})
