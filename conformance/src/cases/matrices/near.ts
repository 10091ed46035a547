import { type Case, cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { allTokenPermissions, card } from '../values.ts'
import type { Cell } from './cell.ts'

/** Texts that resemble a key. */
const keys: Readonly<Record<string, (key: string) => string>> = {
  'other-case': key => (key === key.toUpperCase() ? key.toLowerCase() : key.toUpperCase()),
  cut: key => key.slice(0, -1),
  half: key => key.slice(0, Math.ceil(key.length / 2)),
  longer: key => `${key}x`,
  later: key => key.slice(1),
  quoted: key => `"${key}"`,
  bearer: key => `Bearer ${key}`,
  twice: key => `${key},${key}`,
  'last-character': key => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a'),
}

const keyCells = Object.entries(keys).map(
  ([name, change]): Row => [
    `AUT-001.key-${name}: a text that resembles a key is not a key: ${name.replaceAll('-', ' ')}`,
    async c => {
      const ask = (key: string) =>
        c.as(undefined)('GET', '/tokens', undefined, {
          plain: true,
          headers: { [`${c.target.headerPrefix}-API-KEY`]: key },
        })
      await c.refuses(401, ask, c.target.privateKey, { [name]: change(c.target.privateKey) })
    },
  ],
)

/** Keys of other kinds, each with a request that it may send. */
const kinds: Readonly<
  Record<
    string,
    { needs: Cell['needs']; request: [method: string, path: string]; key(c: Context): Promise<string> }
  >
> = {
  management: {
    needs: ['management'],
    request: ['GET', '/reactors'],
    key: async c => c.target.managementKey ?? '',
  },
  public: { needs: ['public'], request: ['POST', '/sessions'], key: async c => c.target.publicKey ?? '' },
  application: {
    needs: ['applications'],
    request: ['GET', '/tokens'],
    key: async c => (await c.application({ permissions: ['token:read'] })).key,
  },
  session: {
    needs: ['public'],
    request: ['GET', '/tokens'],
    async key(c) {
      const { nonce, session_key } = await c.session()
      const grant = { nonce, permissions: ['token:read'] }
      c.success(await c.asPrivate('POST', '/sessions/authorize', grant), 200, 'the authorization')
      return session_key
    },
  },
}

const kindCells = Object.entries(kinds).map(
  ([name, { needs, request, key }]): Row => [
    `AUT-001.key-of-${name}${marked(needs)}: a text that resembles a key is not a key: that of another kind, ${name}`,
    async c => {
      const whole = await key(c)
      const ask = (one: string) => c.as(one)(...request)
      const near = Object.entries(keys).filter(([how]) => ['cut', 'longer', 'last-character'].includes(how))
      await c.refuses(401, ask, whole, Object.fromEntries(near.map(([how, change]) => [how, change(whole)])))
    },
  ],
)

/** Ids that resemble an id that ends in `0aBcD`. */
const ids: Readonly<Record<string, { near: (id: string) => string; core: boolean }>> = {
  cut: { near: id => id.slice(0, -1), core: true },
  longer: { near: id => `${id}x`, core: true },
  later: { near: id => id.slice(1), core: true },
  'other-case': { near: id => id.toLowerCase(), core: false },
}

const idCells = Object.entries(ids).map(
  ([name, { near, core }]): Row => [
    `${core ? 'TOK-054' : 'TOK-550'}.id-${name}: an id that resembles another is the id of another token, or of none: ${name.replaceAll('-', ' ')}`,
    async c => {
      const id = `${c.tag}-0aBcD`
      await c.token({ id })
      const before = await c.read(id)
      const path = `/tokens/${near(id)}`
      c.refused(await c.asPrivate('GET', path), 404, 'reading it')
      c.refused(await c.asPrivate('PATCH', path, { metadata: { a: 'b' } }), 404, 'updating it')
      c.refused(await c.asPrivate('DELETE', path), 404, 'deleting it')
      c.equal(await c.read(id), before, 'the token')
      const other = await c.token({ id: near(id), metadata: { which: 'other' } })
      c.equal(
        [other.id, (await c.read(near(id))).metadata],
        [near(id), { which: 'other' }],
        'it is another token',
      )
      c.equal(await c.read(id), before, 'the token afterwards')
    },
  ],
)

/** Writes a UUID in the other case. */
const respelled = (id: string) => (id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase())

const uuidCells = cases({
  'TOK-561.token: a token is read, updated, refused as a duplicate and deleted by its UUID in another case':
    async c => {
      const { id } = await c.token({ data: c.tag })
      const path = `/tokens/${respelled(id)}`
      c.equal(c.success(await c.asPrivate('GET', path), 200).body.id, id, 'the id, as it was stored')
      c.success(await c.asPrivate('PATCH', path, { metadata: { a: 'b' } }), 200, 'updating it')
      c.equal((await c.read(id)).metadata, { a: 'b' }, 'metadata')
      const again = { id: respelled(id), type: 'token', data: 1, containers: [c.container] }
      c.refused(await c.asPrivate('POST', '/tokens', again), 409, 'creating it')
      c.success(await c.asPrivate('DELETE', path), 204, 'deleting it')
      c.refused(await c.asPrivate('GET', `/tokens/${id}`), 404, 'reading it afterwards')
      const other = await c.token({ id: respelled(id) })
      c.equal([other.id, (await c.read(id)).id], [respelled(id), respelled(id)], 'an id that was given')
    },
  'TOK-561.list: lists and searches find a token by its UUID in any case, once': async c => {
    const { id } = await c.token()
    const list = (query: string) => c.asPrivate('GET', `/tokens?${query}`)
    for (const query of [`id=${respelled(id)}`, `id=${id}&id=${respelled(id)}`])
      c.equal(c.ids(c.success(await list(query), 200).body), [id], query)
    c.equal(await c.found(`id:${respelled(id)}`), [id], 'a search')
  },
  'TOK-561.payload: payloads name a token by its UUID in any case, and make no second one': async c => {
    const { id } = await c.token({ data: c.tag })
    const payload = [`{{ ${respelled(id)} }}`, `<{{ ${id} }}>`, `{{ ${respelled(id)} | size }}`]
    const reply = await c.asPrivate('POST', '/detokenize', payload)
    c.equal(c.success(reply, 200).body, [c.tag, `<${c.tag}>`, c.tag.length], 'data')
    const one = { type: 'token', data: 1, containers: [c.container] }
    c.refused(await c.asPrivate('POST', '/tokenize', { ...one, id: respelled(id) }), 409, 'a taken id')
    c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204)
    const both = [one, one].map((token, at) => ({ ...token, id: at === 0 ? id : respelled(id) }))
    c.refused(await c.asPrivate('POST', '/tokenize', both), 400, 'one id twice')
  },
  'TOK-561.rule [applications]: a condition on an id covers its token in any case': async c => {
    const { id } = await c.token({ data: c.tag })
    const { call } = await c.application({
      rules: [
        {
          priority: 1,
          conditions: [{ attribute: 'id', operator: 'equals', value: respelled(id) }],
          transform: 'reveal',
          permissions: ['token:read'],
        },
      ],
    })
    c.equal(c.success(await call('GET', `/tokens/${id}`), 200).body.data, c.tag, 'data')
    c.equal(c.ids(c.success(await call('GET', '/tokens'), 200).body), [id], 'the list')
    c.refused(await call('GET', `/tokens/${(await c.token()).id}`), 403, 'it is another token')
  },
  'TOK-561.args [management]: an invocation gets the data of a token that it names by its UUID in any case':
    async c => {
      const { id } = await c.token({ data: c.tag })
      const reactor = await c.reactor()
      const reply = await c.react(reactor, { args: { a: `{{ ${respelled(id)} }}` } })
      c.ok(reply.text.includes(c.tag), 'the formula got the data', reply.text)
    },
})

const numbers = ['4242424242424242', '5555555555554444']
const typed = (c: Context) =>
  c.shared('types that resemble', async s => {
    const whole = await s.token({ type: 'card', data: card })
    const number = await s.token({ type: 'card_number', data: numbers[0] })
    return { card: whole.id as string, card_number: number.id as string }
  })

/** Values that resemble `Valu\u00e9-of-TAG`, none of which is it. */
const values: Readonly<Record<string, (value: string) => string>> = {
  prefix: value => value.slice(0, -1),
  'short-prefix': value => value.slice(0, 12),
  suffix: value => value.slice(1),
  'long-suffix': value => value.slice(3),
  longer: value => `${value}x`,
  quoted: value => `'${value}'`,
  'blank-before': value => ` ${value}`,
  'blank-behind': value => `${value} `,
  decomposed: value => value.normalize('NFD'),
}

/** Ways to find a token by a value, by requirement. */
const finders: Readonly<
  Record<
    string,
    {
      readonly title: string
      /** Of ids, which need not take every character. */
      readonly isPlain?: true
      members(value: string): Record<string, unknown>
      finds(c: Context, value: string, ids: string[], what: string): Promise<void>
    }
  >
> = {
  'SEA-025': {
    title: 'a data term does not match a value that resembles an index value',
    members: data => ({ data, search_indexes: ['{{ data }}'] }),
    finds: (c, value, ids, what) => c.finds(`data:"${value}"`, ids, what),
  },
  'SEA-009': {
    title: 'a metadata term does not match a value that resembles it',
    members: value => ({ metadata: { value } }),
    finds: (c, value, ids, what) => c.finds(`metadata.value:"${value}"`, ids, what),
  },
  'SEA-019': {
    title: 'an id term does not match an id that resembles it',
    isPlain: true,
    members: id => ({ id }),
    finds: (c, value, ids, what) => c.finds(`id:"${value}"`, ids, what),
  },
  'TOK-019': {
    title: 'an id filter does not match an id that resembles it, beside another one',
    isPlain: true,
    members: id => ({ id }),
    async finds(c, value, ids, what) {
      const other = await c.token({ id: `other-of-${crypto.randomUUID()}` })
      const path = `/tokens?id=${other.id}&id=${encodeURIComponent(value)}`
      c.equal(c.ids(await c.get(path, c.asPrivate)).sort(), [...ids, other.id].sort(), what)
    },
  },
  'TOK-021': {
    title: 'a metadata filter does not match a value that resembles it',
    members: value => ({ metadata: { value } }),
    async finds(c, value, ids, what) {
      const path = `/tokens?metadata.value=${encodeURIComponent(value)}`
      c.equal(c.ids(await c.get(path, c.asPrivate)), ids, what)
    },
  },
}

const valueCells = Object.entries(finders).flatMap(([requirement, { title, isPlain, members, finds }]) =>
  Object.entries(values).flatMap(([name, near]): Row[] =>
    isPlain && name === 'decomposed'
      ? []
      : [
          [
            `${requirement}.near-${name}: ${title}: ${name.replaceAll('-', ' ')}`,
            async c => {
              const value = `${isPlain ? 'Value' : 'Valu\u00e9'}-of-${c.tag}`
              const { id } = await c.token(members(value))
              await finds(c, value, [id], 'the control')
              await finds(c, near(value), [], name)
            },
          ],
        ],
  ),
)

/** Data that resembles other data, and has another fingerprint. */
const contents: Readonly<Record<string, (tag: string) => readonly [unknown, unknown]>> = {
  case: tag => [`Aa${tag}`, `aA${tag}`],
  prefix: tag => [`${tag}${'x'.repeat(300)}a`, `${tag}${'x'.repeat(300)}b`],
  suffix: tag => [`a${'x'.repeat(300)}${tag}`, `b${'x'.repeat(300)}${tag}`],
  blanks: tag => [tag, `${tag} `],
  accents: tag => [`${tag}\u00e9`, `${tag}e`],
  types: tag => [
    [`${tag}`, 1],
    [`${tag}`, '1'],
  ],
  order: tag => [
    [tag, 'b'],
    ['b', tag],
  ],
}

const fingerprintCells = Object.entries(contents).map(
  ([name, make]): Row => [
    `TOK-016.near-${name}: data that resembles other data has another fingerprint: ${name}`,
    async c => {
      const [one, two] = make(c.tag)
      const [first, again, other] = [
        await c.token({ data: one }),
        await c.token({ data: one }),
        await c.token({ data: two }),
      ]
      c.equal(again.fingerprint, first.fingerprint, 'the fingerprint of the same data, the control')
      c.ok(other.fingerprint !== first.fingerprint, 'the fingerprints differ', other.fingerprint)
      await c.finds(`fingerprint:"${first.fingerprint}"`, [first.id, again.id], 'what its fingerprint finds')
    },
  ],
)

const otherCells: readonly (Row | Case)[] = [
  ...cases({
    'TOK-020.near-prefix: a list of a type does not contain a type whose name begins the same': async c => {
      const { card: whole, card_number: number } = await typed(c)
      const both = `id=${whole}&id=${number}`
      const listed = async (type: string) => c.ids(await c.get(`/tokens?type=${type}&${both}`, c.asPrivate))
      c.equal(await listed('card'), [whole], 'cards')
      c.equal(await listed('card_number'), [number], 'card numbers')
    },
    'SEA-020.near-prefix: a type term does not match a type whose name begins the same': async c => {
      const { card: whole, card_number: number } = await typed(c)
      const found = async (type: string) => {
        const query = `(id:${whole} OR id:${number}) AND type:${type}`
        return c.ids(c.success(await c.asPrivate('POST', '/tokens/search', { query }), 200).body)
      }
      await c.settles(() => found('card'), [whole], 'cards')
      await c.settles(() => found('card_number'), [number], 'card numbers')
    },
    'SEA-021.near: a part of a fingerprint finds nothing': async c => {
      const { id, fingerprint } = await c.token()
      await c.finds(`fingerprint:"${fingerprint}"`, [id], 'the control')
      for (const near of [fingerprint.slice(0, -1), fingerprint.slice(1), `${fingerprint}0`])
        await c.finds(`fingerprint:"${near}"`, [], 'a text that resembles it')
    },
    'SEA-010.near: a container term does not match a container whose name begins the same': async c => {
      const own = await c.token({ containers: [`${c.container}a/`] })
      const below = await c.token({ containers: [`${c.container}a/b/`] })
      await c.token({ containers: [`${c.container}ab/`] })
      await c.finds(`container:"${c.container}a/"`, [own.id], 'the container')
      await c.finds(`container:"${c.container}a/*"`, [own.id, below.id], 'the container and all below it')
    },
  }),
  ...(['other-caller', 'other-case'] as const).map(
    (name): Row => [
      `IDE-501.${name}${marked(name === 'other-caller' ? ['applications'] : [])}: an idempotency key is that of one caller, as it is written: ${name.replaceAll('-', ' ')}`,
      async c => {
        const call =
          name === 'other-caller' ? (await c.ruled('reveal', allTokenPermissions)).call : c.asPrivate
        const body = { type: 'token', data: c.tag, containers: [c.container] }
        const create = async (by: typeof call, key: string) =>
          c.success(await by('POST', '/tokens', body, c.keyed(key)), 201).body
        const key = `Key-${c.tag}`
        const first = await create(c.asPrivate, key)
        c.equal((await create(c.asPrivate, key)).id, first.id, 'the same key, the control')
        const other = await create(call, name === 'other-case' ? key.toLowerCase() : key)
        c.ok(other.id !== first.id, 'it is another token', other.id)
        c.equal((await c.read(other.id)).id, other.id, 'which exists')
      },
    ],
  ),
]

/** Rules and permissions, as the contract describes them for a service with its endpoint /applications. */
/** What resembles something is something else. */
export const nearCases = cases([
  ...keyCells,
  ...kindCells,
  ...idCells,
  ...uuidCells,
  ...valueCells,
  ...fingerprintCells,
  ...otherCells,
])
