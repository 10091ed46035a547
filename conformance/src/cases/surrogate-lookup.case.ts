import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import type { Call } from '../harness/target.ts'

const permission = 'token:lookup'
const tokenOf = (c: Context, members: object = {}) => ({ type: 'token', data: c.tag, ...members })
const lookUp = (call: Call, body: object) => call('POST', '/tokens/lookup', body)
const idsFound = async (c: Context, call: Call, body: object) =>
  c.ids(c.success(await lookUp(call, body), 200).body)

/** Looking tokens up by their data. */
export const lookupCases = cases({
  'TOK-551.a': [
    'a lookup finds tokens by their data, and shows no other members, whatever the rule reveals',
    async c => {
      const containers = [`${c.container}${'a'.repeat(200)}/`]
      const first = await c.token({ metadata: { a: 'b' }, mask: 'X', containers })
      const second = await c.token()
      await c.token({ data: `${c.tag} other` })
      for (const transform of ['redact', 'mask', 'reveal']) {
        const { call } = await c.ruled(transform, [permission])
        const { data, pagination } = c.success(await lookUp(call, tokenOf(c)), 200).body
        const shown = ({ id, type, containers }: typeof first) => ({ id, type, containers })
        c.equal(data, [shown(second), shown(first)], `the tokens under ${transform}`)
        const pages = { total_items: 2, page_number: 1, page_size: 20, total_pages: 1 }
        c.matches(pagination, pages, 'their number')
        c.equal(await idsFound(c, call, tokenOf(c, { page: 2, size: 1 })), [first.id], 'the second page')
      }
    },
  ],
  'TOK-551.b': [
    'a lookup compares by the given expression, and finds no token of another one with the same value',
    async c => {
      const { call } = await c.ruled('reveal', [permission])
      const fingerprint_expression = '{{ data | upcase }} {{ metadata.shop }}'
      const metadata = { shop: 'a' }
      const upper = await c.token({ fingerprint_expression, metadata })
      const body = tokenOf(c, { fingerprint_expression, metadata })
      c.equal(await idsFound(c, call, body), [upper.id], 'by its expression')
      c.equal(await idsFound(c, call, { ...body, metadata: { shop: 'b' } }), [], 'by other metadata')
      const literal = await c.token({ data: `${c.tag} other`, fingerprint_expression: c.tag })
      c.equal(await idsFound(c, call, tokenOf(c)), [], 'by the default expression')
      const imitated = tokenOf(c, { data: 'x', fingerprint_expression: c.tag })
      c.equal(await idsFound(c, call, imitated), [literal.id], 'by the literal expression')
      const empty = { data: c.tag, fingerprint_expression: '{{ data.none }}' }
      await c.token(empty)
      c.equal(await idsFound(c, call, tokenOf(c, empty)), [], 'by an expression that is empty')
    },
  ],
  'TOK-551.c': [
    'a deleted token and one with other data than before are not found',
    async c => {
      const { call } = await c.ruled('reveal', [permission])
      const [first, second] = [await c.token(), await c.token()]
      c.equal((await idsFound(c, call, tokenOf(c))).sort(), [first.id, second.id].sort(), 'before')
      c.success(await c.asPrivate('PATCH', `/tokens/${first.id}`, { data: `${c.tag} new` }), 200)
      c.success(await c.asPrivate('DELETE', `/tokens/${second.id}`), 204)
      c.equal(await idsFound(c, call, tokenOf(c)), [], 'by the data of before')
      c.equal(await idsFound(c, call, tokenOf(c, { data: `${c.tag} new` })), [first.id], 'by the new data')
    },
  ],
  'TOK-551.d': [
    'data that no token of the type can have is refused',
    async c => {
      const { call } = await c.application({ permissions: [permission] })
      await c.refuses<object>(400, body => lookUp(call, body), tokenOf(c), {
        'a card number with a wrong check digit': { type: 'card', data: { number: '4242424242424243' } },
        'an unknown type': tokenOf(c, { type: 'pin' }),
        'no data': { type: 'token' },
        'an expression that does not parse': tokenOf(c, { fingerprint_expression: '{{ data' }),
        'a page of 101': tokenOf(c, { size: 101 }),
      })
    },
  ],
  'TOK-552.a': [
    'a lookup needs token:lookup, which a private application alone can hold and use',
    async c => {
      const others = ['create', 'read', 'update', 'delete', 'search', 'use'].map(name => `token:${name}`)
      const authorizer = await c.application({ permissions: [permission, 'token:search'] })
      c.success(await lookUp(authorizer.call, tokenOf(c)), 200)
      c.refused(await lookUp((await c.application({ permissions: others })).call, tokenOf(c)), 403)
      c.refused(await lookUp(c.asManagement, tokenOf(c)), 403, 'a management key')
      const { call } = await c.application({ permissions: ['token:create'] }, 'public')
      c.refused(await lookUp(call, tokenOf(c)), 403, 'a public key')
      const session = c.success(await call('POST', '/sessions'), 201).body
      const grant = { nonce: session.nonce, permissions: [permission, 'token:search'] }
      c.success(await authorizer.call('POST', '/sessions/authorize', grant), 200)
      const own = c.as(session.session_key)
      c.refused(await lookUp(own, tokenOf(c)), 403, 'a session')
      c.success(await own('POST', '/tokens/search', {}), 200, 'a search by the session')
      const application = { name: c.tag, type: 'public', permissions: [permission] }
      c.refused(await c.asManagement('POST', '/applications', application), 400, 'a public application')
    },
  ],
  'TOK-552.b': [
    'a lookup finds tokens only where the permission is held in each of their containers',
    async c => {
      const { call } = await c.ruled('reveal', [permission], `${c.container}in/`)
      const inside = await c.token({ containers: [`${c.container}in/a/`] })
      await c.token({ containers: [`${c.container}out/`] })
      await c.token({ containers: [`${c.container}in/`, `${c.container}out/`] })
      const { data, pagination } = c.success(await lookUp(call, tokenOf(c)), 200).body
      c.equal(c.ids({ data }), [inside.id], 'the tokens')
      c.equal(pagination.total_items, 1, 'their number')
      const all = await c.ruled('reveal', [permission])
      c.equal((await idsFound(c, all.call, tokenOf(c))).length, 3, 'with the permission in all containers')
    },
  ],
  'TOK-553.a': [
    'each lookup has an entry in the log, without the data',
    async c => {
      const { id: actor, call } = await c.ruled('reveal', [permission])
      const { id } = await c.token()
      c.success(await lookUp(call, tokenOf(c)), 200)
      c.success(await lookUp(call, tokenOf(c, { data: `${c.tag} none` })), 200)
      type Entry = { operation: string; actor_id: string; entity_id?: string }
      const reply = await c.eventually(async () => {
        const logged = c.success(await c.asManagement('GET', '/logs?entity_type=token&size=100'), 200)
        const own = logged.body.data.filter(({ actor_id }: Entry) => actor_id === actor)
        return own.length === 2 ? { text: logged.text, own } : undefined
      }, 'two entries')
      c.equal(
        reply.own.map(({ operation, entity_id }: Entry) => [operation, entity_id ?? 'none']),
        [
          ['token:lookup', 'none'],
          ['token:lookup', id],
        ],
        'the entries',
      )
      c.ok(!reply.text.includes(c.tag), 'no data')
    },
  ],
})
