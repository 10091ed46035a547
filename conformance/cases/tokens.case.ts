import { type Case, expectEqual, Finding, member, type Send } from '../harness/target.ts'

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 }

async function create(send: Send, body: unknown): Promise<string> {
  const created = await send('POST', '/tokens', body)
  const id = member(created, 'id')
  if (created.status >= 300 || typeof id !== 'string') {
    throw new Finding(`a valid token was not created: status ${created.status}`)
  }
  return id
}

async function remove(send: Send, id: string): Promise<void> {
  await send('DELETE', `/tokens/${encodeURIComponent(id)}`)
}

/** A refusal counts only beside a request that differs in one thing and is accepted. */
async function refuses(send: Send, control: object, mutation: object): Promise<void> {
  await remove(send, await create(send, control))
  const { status } = await send('POST', '/tokens', { ...control, ...mutation })
  if (status < 400 || status > 499) throw new Finding(`expected a refusal (4xx), found ${status}`)
}

/** Specification, sections 2.2 and 4.1. */
export const tokenCases: readonly Case[] = [
  {
    id: 'TOK-001.a',
    title: 'a card that was stored is read back whole by a caller that may reveal it',
    async run(send) {
      const id = await create(send, { type: 'card', data: card })
      const read = await send('GET', `/tokens/${id}`)
      expectEqual(member(read, 'data'), card, 'data')
      expectEqual(member(read, 'type'), 'card', 'type')
      await remove(send, id)
    },
  },
  {
    id: 'TOK-002.a',
    title: 'a card number whose check digit is wrong is refused',
    run: send =>
      refuses(send, { type: 'card', data: card }, { data: { ...card, number: '4242424242424241' } }),
  },
  {
    id: 'TOK-003.a',
    title: 'a routing number whose checksum is wrong is refused',
    run: send =>
      refuses(
        send,
        { type: 'bank', data: { routing_number: '110000000', account_number: '000123456789' } },
        { data: { routing_number: '110000001', account_number: '000123456789' } },
      ),
  },
  {
    id: 'TOK-004.a',
    title: 'a deleted token is no longer read',
    async run(send) {
      const id = await create(send, { type: 'token', data: 'x' })
      expectEqual((await send('GET', `/tokens/${id}`)).status, 200, 'status before')
      await remove(send, id)
      const { status } = await send('GET', `/tokens/${id}`)
      if (status < 400 || status > 499) throw new Finding(`expected an error (4xx), found ${status}`)
    },
  },
  {
    id: 'TOK-005.a',
    title: 'an update in any content type but merge patch is 415',
    async run(send) {
      const id = await create(send, { type: 'token', data: { a: 1 } })
      const refused = await send(
        'PATCH',
        `/tokens/${id}`,
        { data: { a: 2 } },
        { 'Content-Type': 'application/json' },
      )
      expectEqual(refused.status, 415, 'status with application/json')
      const accepted = await send('PATCH', `/tokens/${id}`, { data: { b: 2 } })
      expectEqual(accepted.status, 200, 'status with merge patch')
      expectEqual(member(await send('GET', `/tokens/${id}`), 'data'), { a: 1, b: 2 }, 'merged data')
      await remove(send, id)
    },
  },
  {
    id: 'TOK-006.a',
    title: 'a list filtered by several metadata entries holds the tokens that have them all',
    async run(send) {
      const run = crypto.randomUUID()
      const one = await create(send, { type: 'token', data: 1, metadata: { run, kind: 'One' } })
      const two = await create(send, { type: 'token', data: 2, metadata: { run, kind: 'two' } })
      const listed = await send('GET', `/tokens?metadata.run=${run.toUpperCase()}&metadata.kind=one`)
      const data = member(listed, 'data')
      const ids = Array.isArray(data) ? data.map(token => (token as { id?: unknown }).id) : data
      expectEqual(ids, [one], 'ids of the list')
      await remove(send, one)
      await remove(send, two)
    },
  },
]
