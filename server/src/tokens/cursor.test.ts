import t from 'tap'
import { openTenant, openVault, type Reply, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)
const ids = (reply: Reply): string[] => reply.json.data.map((token: { id: string }) => token.id)

async function fill(tenant: TestTenant, count: number, body: object = {}): Promise<string[]> {
  const made: string[] = []
  for (let index = 0; index < count; index++) {
    const { json } = await tenant.send('POST', '/tokens', { type: 'token', data: index, ...body } as never)
    made.unshift(json.id)
  }
  return made
}

type Fetch = (start: string | undefined) => Promise<Reply>

const byList =
  (tenant: TestTenant, size: number): Fetch =>
  start =>
    tenant.send('GET', `/tokens?size=${size}${start === undefined ? '' : `&start=${start}`}`)
const bySearch =
  (tenant: TestTenant, size: number, query = ''): Fetch =>
  start =>
    tenant.send('POST', '/tokens/search', { query, size, ...(start === undefined ? {} : { start }) })

/** All pages, with something happening before each but the first. */
async function walk(fetch: Fetch, between: (page: number) => Promise<unknown> = async () => {}) {
  const pages: Reply[] = []
  for (let start: string | undefined; ; ) {
    const reply = await fetch(start)
    if (reply.status !== 200) throw new Error(reply.text)
    pages.push(reply)
    start = reply.json.pagination.next
    if (start === undefined) return pages
    await between(pages.length)
  }
}

t.test('no token comes twice and none is missed while others are written', async t => {
  for (const way of [byList, bySearch]) {
    const tenant = await openTenant(vault)
    const made = await fill(tenant, 12)
    const remove = (place: number) => tenant.send('DELETE', `/tokens/${made[place]}`)
    const pages = await walk(way(tenant, 4), async page => {
      // A token already returned, the token at the cursor, and a token still to come.
      if (page === 1) await Promise.all([remove(0), remove(3)])
      if (page === 2) await remove(9)
      await fill(tenant, 5)
    })
    const found = pages.flatMap(ids)
    t.same(
      found,
      made.filter(id => id !== made[9]),
    )
    const totals = pages.map(({ json }) => json.pagination.total_items)
    t.same(totals, [12, 12 - 2 + 5, 12 - 3 + 10], 'each total is of its own moment')
  }
})

t.test('a cursor that was not handed out is refused', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  await fill(tenant, 3)
  await fill(other, 3)
  const { next } = (await byList(tenant, 1)(undefined)).json.pagination
  const foreign = (await byList(other, 1)(undefined)).json.pagination.next
  t.equal((await byList(tenant, 1)(next)).status, 200)
  const plain = Buffer.from(next, 'base64url').toString()
  const [us, page, digest] = plain.split(' ')
  const forge = (...parts: unknown[]) => Buffer.from(parts.join(' ')).toString('base64url')
  t.equal(forge(us, page, digest), next, 'the control')
  const refused = [
    foreign,
    forge(Number(us) - 1, page, digest),
    forge(us, 7, digest),
    forge(`0${us}`, page, digest),
    forge(us, page),
    forge(us, page, `${digest}0`),
    `${next}A`,
    `${next}=`,
    next.slice(0, -1),
    next.toUpperCase(),
    'x',
    '%00',
    `${next}&start=${next}`,
  ]
  for (const start of refused) {
    const { status, json } = await byList(tenant, 1)(start)
    t.equal(status, 400, start)
    t.ok(json.errors.start, start)
  }
  for (const fetch of [`/tokens?page=1&start=${next}`, `/tokens?page=2&start=${next}`]) {
    const { status, json } = await tenant.send('GET', fetch)
    t.equal(status, 400, fetch)
    t.ok(json.errors.start)
  }
})

t.test('a cursor gives no more than the rights of who brings it', async t => {
  const tenant = await openTenant(vault)
  await fill(tenant, 4, { containers: ['/shut/'] })
  const open = await fill(tenant, 1, { containers: ['/open/'] })
  await fill(tenant, 2, { containers: ['/shut/'] })
  const { next } = (await byList(tenant, 1)(undefined)).json.pagination
  const rule = { priority: 1, container: '/open/', transform: 'mask', permissions: ['token:read'] }
  const reader = await tenant.application({ rules: [rule] } as never)
  const reply = await reader('GET', `/tokens?start=${next}`)
  t.same(ids(reply), open)
  t.equal(reply.json.pagination.total_items, 1)
})
