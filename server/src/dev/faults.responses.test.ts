import { randomUUID } from 'node:crypto'
import t from 'tap'
import { body, count, open } from './_faults.ts'

t.test('a gateway in front of the server fails with a page of its own', async t => {
  const { tenant, dev, vault, url } = await open(t)
  const headers = { 'SVC-API-KEY': tenant.privateKey }
  for (const [where, fetched] of [
    ['in process', vault.fetch],
    ['over the wire', fetch],
  ] as const) {
    for (const status of [502, 504]) {
      await dev.faults.next({ status, retryAfter: 3 })
      const response = await fetched(`${url}/tokens`, { headers })
      t.equal(response.status, status, where)
      t.equal(response.headers.get('content-type'), 'text/html')
      t.equal(response.headers.get('retry-after'), '3')
      t.match(await response.text(), new RegExp(`<h1>${status} `))
      const [recorded] = (await dev.requests.list()).slice(-1)
      t.match(recorded, { status, faulty: true })
      t.notOk(recorded?.error, 'it is no problem of the server')
    }
  }
})

t.test('a request arrives twice, which an idempotency key makes harmless', async t => {
  const { tenant, dev, vault, url } = await open(t)
  for (const fetched of [vault.fetch, fetch]) {
    for (const [key, made] of [
      [undefined, 2],
      [randomUUID(), 1],
    ] as const) {
      await dev.requests.clear()
      const before = await count(tenant)
      await dev.faults.next({ operation: 'tokens.create', duplicate: true })
      const response = await fetched(`${url}/tokens`, {
        method: 'POST',
        headers: {
          'SVC-API-KEY': tenant.privateKey,
          'Content-Type': 'application/json',
          ...(key === undefined ? {} : { 'SVC-IDEMPOTENCY-KEY': key }),
        },
        body: JSON.stringify(body),
      })
      t.equal(response.status, 201)
      const { id } = (await response.json()) as { readonly id: string }
      t.equal(await count(tenant), before + made)
      const requests = await dev.requests.list({ operation: 'tokens.create' })
      t.same(
        requests.map(({ status, faulty }) => [status, faulty]),
        [
          [201, true],
          [201, true],
        ],
      )
      const read = (await tenant.send('GET', `/tokens/${id}`)).status
      t.equal(read, 200, 'the caller knows the second one')
    }
  }
  await dev.faults.next({ operation: 'tokens.create', duplicate: true })
  const refused = await tenant.send('POST', '/tokens', { type: 'card' })
  t.equal(refused.status, 400)
  await dev.faults.next({ operation: 'tokens.get', duplicate: true })
  t.equal((await tenant.send('GET', '/tokens/missing')).status, 404)
  t.equal(
    (await dev.faults.list()).reduce((left, one) => left + one.left, 0),
    0,
  )
})

t.test('a body is malformed, or comes slowly', async t => {
  const { tenant, dev, vault, url } = await open(t)
  const headers = { 'SVC-API-KEY': tenant.privateKey, 'Content-Type': 'application/json' }
  for (const [where, fetched] of [
    ['in process', vault.fetch],
    ['over the wire', fetch],
  ] as const) {
    const create = () => fetched(`${url}/tokens`, { method: 'POST', headers, body: JSON.stringify(body) })
    const before = await count(tenant)
    await dev.faults.next({ operation: 'tokens.create', malformed: true })
    const malformed = await create()
    t.equal(malformed.status, 201, where)
    await t.rejects(malformed.json(), { name: 'SyntaxError' })
    t.equal(await count(tenant), before + 1, 'the work was done')
    await dev.faults.next({ operation: 'tokens.create', bytes_per_second: 2000 })
    const slow = await create()
    const text = await slow.text()
    t.ok(JSON.parse(text).id, `${where}: whole`)
    await dev.faults.next({ operation: 'tokens.create', bytes_per_second: 1 })
    const slower = await create()
    await slower.body?.cancel()
    await vault.settled()
    await dev.faults.next({ operation: 'tokens.create', bytes_per_second: 1 })
    const cleared = await create()
    await dev.faults.clear()
    t.ok((await cleared.json()).id, `${where}: the rest comes at once`)
  }
})
