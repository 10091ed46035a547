import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { tokenTypes } from '../harness/token-types.ts'
import { bank, card, hour, isLuhn, minute, ssn, times } from './values.ts'

/** Checks the members of a token that its creator left out against the contract. */
function expectDefaults(c: Context, type: string, token: Record<string, unknown>): void {
  const { defaults } = tokenTypes.find(one => one.type === type) ?? {}
  c.equal(
    [token.containers, token.mask ?? null, token.fingerprint_expression],
    [defaults?.containers, defaults?.mask, defaults?.fingerprint_expression],
    `containers, mask and fingerprint expression of ${type}`,
  )
}

const post = (c: Context) => (body: object) => c.asPrivate('POST', '/tokens', body)
const valid = { type: 'token', data: { a: 'x' } }

const isObject = (value: unknown) => typeof value === 'object' && value !== null
/** More data that a type refuses than the contract has examples of. Members replace those of a valid example. */
const otherwiseWrong: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  token: { null: null },
  card: {
    'a check digit': { number: '4242424242424241' },
    'eleven digits': { number: '42424242428' },
    'a month 13': { expiration_month: 13 },
    'a text': card.number,
  },
  bank: { 'an empty account': { account_number: '' } },
  card_number: { 'a number': 4242424242424242 },
  social_security_number: { 'a letter': '078-05-112x' },
  employer_id_number: { 'ten digits': '12-34567890', spaces: '12 3456789' },
}

/** Decisions about tokens, types and expressions where the specification is open. */
export const surrogateTokenCases = cases({
  'TYP-501.a: every type has the documented container, mask and fingerprint expression': async c => {
    for (const { type, examples } of tokenTypes) {
      const { id } = c.success(await post(c)({ type, data: examples[0].data }), 201).body
      expectDefaults(c, type, await c.read(id))
    }
  },
  'TYP-502.a: every type refuses data that does not fit it': async c => {
    for (const { type, examples, refused } of tokenTypes) {
      const [{ data }] = examples
      const wrong = Object.entries({ ...refused, ...otherwiseWrong[type] }).map(([name, given]) => [
        name,
        isObject(data) && isObject(given) ? { ...data, ...given } : given,
      ])
      await c.refuses<unknown>(400, data => post(c)({ type, data }), data, Object.fromEntries(wrong))
    }
  },
  'TYP-503.a: an unknown type is refused': c =>
    c.refuses<object>(400, post(c), valid, {
      'another type': { ...valid, type: 'unknown' },
      'another case': { ...valid, type: 'Token' },
    }),
  'TYP-504.a: a card accepts no search indexes except an empty list': c => {
    const send = (search_indexes: unknown) => post(c)({ type: 'card', data: card, search_indexes })
    return c.refuses<unknown>(400, send, [], { 'one index': ['{{ data.number }}'] })
  },
  'TYP-505.a: eleven indexes, eleven containers and fifty-one entries are refused': async c => {
    const many = <T>(n: number, make: (n: number) => T) =>
      Array.from({ length: n }, (_, index) => make(index))
    const indexes = (n: number) => ({ ...valid, search_indexes: many(n, index => `{{ data.a }}${index}`) })
    const containers = (n: number) => ({
      ...valid,
      containers: many(n, index => `${c.container}${index}/`),
    })
    const metadata = (n: number) => ({
      ...valid,
      metadata: Object.fromEntries(many(n, index => [`k${index}`, 'v'])),
    })
    await c.refuses<object>(400, post(c), indexes(10), { 'eleven indexes': indexes(11) })
    await c.refuses<object>(400, post(c), containers(10), {
      'eleven containers': containers(11),
      none: containers(0),
    })
    await c.refuses<object>(400, post(c), metadata(50), { 'fifty-one entries': metadata(51) })
  },
  'TYP-506.a: a container that is not a path is refused': c => {
    const at = (container: string) => ({ ...valid, containers: [container] })
    return c.refuses<object>(400, post(c), at('/a-b/C_1/'), {
      'no slash at the end': at('/a'),
      'no slash at the start': at('a/'),
      'an empty part': at('/a//'),
      'a space': at('/a b/'),
      'a star': at('/a/*'),
    })
  },
  'TOK-501.a: a create with deduplication returns the existing token': async c => {
    const one = await c.token()
    const reply = await post(c)({
      type: 'token',
      data: c.tag,
      metadata: { run: c.tag },
      deduplicate_token: true,
    })
    c.equal([c.success(reply, 200).status, reply.body.id], [200, one.id], 'status and id')
    c.equal(c.ids(await c.get(`/tokens?metadata.run=${c.tag}`, c.asPrivate)), [], 'what else is stored')
    const other = await c.token({ data: `${c.tag}2`, deduplicate_token: true })
    c.ok(other.id !== one.id, 'other data is another token', other.id)
  },
  'TOK-501.oldest: of several tokens with the same data, a create with deduplication returns the oldest':
    async c => {
      const { id, created_at } = await c.token()
      // Of the same millisecond, none is older.
      await c.eventually(
        async () => Date.parse((await c.token()).created_at) > Date.parse(created_at) || undefined,
        'a token with a later time',
      )
      const body = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
      c.equal(c.success(await post(c)(body), 200).body.id, id, 'id')
      await c.patch(id, { metadata: { changed: 'yes' } })
      c.equal(c.success(await post(c)(body), 200).body.id, id, 'id after an update of it')
    },
  'TOK-502.a: simultaneous creates with deduplication store one token': async c => {
    const metadata = { run: c.tag }
    const body = { type: 'token', data: c.tag, metadata, deduplicate_token: true }
    const replies = await Promise.all(Array.from({ length: 6 }, () => post(c)(body)))
    const ids = replies.map(reply => c.success(reply).body.id as string)
    c.equal(replies.filter(reply => reply.status === 201).length, 1, 'responses of 201')
    c.equal(new Set(ids).size, 1, 'different ids')
    c.equal(c.ids(await c.get(`/tokens?metadata.run=${c.tag}`, c.asPrivate)), [ids[0]], 'what is stored')
  },
  'TOK-503.a: an id that is taken is refused until its token is deleted': async c => {
    const create = () => post(c)({ type: 'token', data: 1, id: c.tag })
    c.success(await create(), 201, 'the first')
    c.refused(await create(), 409, 'the second')
    c.success(await c.asPrivate('DELETE', `/tokens/${c.tag}`), 204)
    c.success(await create(), 201, 'the third')
  },
  'TOK-504.a: an id that is too short, too long or has a forbidden character is refused': c => {
    const named = (id: string) => ({ ...valid, id })
    const forbidden = [...'#/\\+?[]|&=%<>{}^'].map(
      character => [character, named(`${c.tag}${character}`)] as const,
    )
    return c.refuses<object>(400, post(c), named(c.tag.padEnd(400, 'x')), {
      'two characters': named('ab'),
      '401 characters': named('a'.repeat(401)),
      ...Object.fromEntries(forbidden),
    })
  },
  'TOK-505.a: an expiry in the past is refused': c =>
    c.refuses<object>(
      400,
      post(c),
      { ...valid, expires_at: '2099-01-01' },
      { 'the past': { ...valid, expires_at: '2001-01-01' } },
    ),
  'TOK-506.plain: null restores the defaults of a plain token': async c => {
    const { id } = await c.token({
      mask: 'X',
      metadata: { a: 'b' },
      fingerprint_expression: 'x',
      expires_at: '2099-01-01',
    })
    await c.patch(id, {
      mask: null,
      metadata: null,
      containers: null,
      fingerprint_expression: null,
      expires_at: null,
    })
    const read = await c.read(id)
    expectDefaults(c, 'token', read)
    c.equal([read.metadata ?? null, read.expires_at ?? null], [null, null], 'metadata and expires_at')
  },
  'TOK-506.a: null restores defaults, and is refused for data': async c => {
    const { id } = await c.token({
      type: 'card',
      data: card,
      mask: 'X',
      metadata: { a: 'b' },
      fingerprint_expression: '{{ data.number }}x',
      expires_at: '2099-01-01',
    })
    const reset = {
      mask: null,
      metadata: null,
      containers: null,
      fingerprint_expression: null,
      expires_at: null,
    }
    await c.patch(id, reset)
    const read = await c.read(id)
    expectDefaults(c, 'card', read)
    c.equal([read.metadata ?? null, read.expires_at ?? null], [null, null], 'metadata and expires_at')
    c.refused(await c.asPrivate('PATCH', `/tokens/${id}`, { data: null }), 400, 'null for data')
  },
  'TOK-507.a: month, day and year are accepted, also with a time and an offset': async c => {
    for (const [given, instant] of [
      ['6/1/2099', '2099-06-01T00:00:00Z'],
      ['6/1/2099 1:30:00 PM', '2099-06-01T13:30:00Z'],
      ['6/1/2099 12:30:00 AM +02:00', '2099-05-31T22:30:00Z'],
    ] as const) {
      c.equal(Date.parse((await c.token({ expires_at: given })).expires_at), Date.parse(instant), given)
    }
    c.refused(await post(c)({ ...valid, expires_at: '13/1/2099' }), 400, 'a month 13')
  },
  'TOK-530.a: offsets of hours and minutes without a colon, and of hours only, are accepted': async c => {
    for (const [given, echo] of [
      ['2099-06-01T12:00:00+05:30', '2099-06-01T12:00:00+05:30'],
      ['2099-06-01T12:00:00+0530', '2099-06-01T12:00:00+05:30'],
      ['2099-06-01T12:00:00-02', '2099-06-01T12:00:00-02:00'],
      ['6/1/2099 1:30:00 PM -0230', '2099-06-01T13:30:00-02:30'],
      ['6/1/2099 1:30:00 PM +02', '2099-06-01T13:30:00+02:00'],
    ] as const) {
      const { expires_at } = await c.token({ expires_at: given })
      c.equal(Date.parse(expires_at), Date.parse(echo), given)
      c.equal(expires_at.slice(-6), echo.slice(-6), `${given}: the offset in the answer`)
    }
    c.refused(await post(c)({ ...valid, expires_at: '2099-06-01T12:00:00+5' }), 400, 'an offset of one digit')
  },
  'TOK-508.a: at its expiry a token can no longer be read or listed, and its id is free': async c => {
    const members = { id: c.tag, data: 1, metadata: { run: c.tag }, expires_at: await c.later(hour) }
    await c.token(members)
    await c.advance(hour - minute)
    c.equal((await c.read(c.tag)).id, c.tag, 'id before')
    await c.advance(minute + 1000)
    c.refused(await c.asPrivate('GET', `/tokens/${c.tag}`), 404, 'reading it')
    c.equal(c.ids((await c.asPrivate('GET', `/tokens?metadata.run=${c.tag}`)).body), [], 'the list')
    await c.token({ id: c.tag, data: 1 })
  },
  'TOK-508.search: at its expiry a token can no longer be found': async c => {
    const metadata = { run: c.tag }
    const { id } = await c.token({ metadata, expires_at: await c.later(hour) })
    await c.finds(`metadata.run:${c.tag}`, [id], 'what is found before')
    await c.advance(hour + 1000)
    await c.finds(`metadata.run:${c.tag}`, [], 'what is found')
  },
  'TOK-509.a: an update to a duplicate returns the original and changes nothing': async c => {
    const original = await c.token({ data: `${c.tag}1` })
    const { id } = await c.token({ data: `${c.tag}2`, deduplicate_token: true })
    const answer = await c.patch(id, { data: `${c.tag}1` })
    c.equal(answer.id, original.id, 'id of the answer')
    c.equal((await c.read(id)).data, `${c.tag}2`, 'data afterwards')
  },
  'TOK-510.a: masks, indexes and fingerprints that do not parse or that fail are refused': c =>
    c.refuses<object>(
      400,
      post(c),
      {
        ...valid,
        mask: '{{ data.a }}',
        search_indexes: ['{{ data.a }}'],
        fingerprint_expression: '{{ data.a }}',
      },
      {
        'a mask that does not parse': { ...valid, mask: '{{ data.a' },
        'an unknown filter': { ...valid, mask: '{{ data.a | shout }}' },
        'a fingerprint that does not parse': { ...valid, fingerprint_expression: '{% if %}' },
        'an index that does not parse': { ...valid, search_indexes: ['{{ data.a | }}}'] },
      },
    ),
  'TOK-511.a: a new cvc is erased at the deadline of the one it replaces; one set after that lives an hour':
    async c => {
      const { id } = await c.token({ type: 'card', data: { ...card, cvc: '123' } })
      await c.advance(40 * minute)
      await c.patch(id, { data: { cvc: '456' } })
      c.equal((await c.read(id)).data.cvc, '456', 'the new cvc')
      await c.advance(20 * minute + 1000)
      c.equal((await c.read(id)).data.cvc, undefined, 'after an hour in all')
      await c.patch(id, { data: { cvc: '789' } })
      await c.advance(50 * minute)
      c.equal((await c.read(id)).data.cvc, '789', 'one set where none was')
    },
  'TOK-520.a: an id that equals the data or contains its number is refused, and not repeated': async c => {
    const number = '4242424242424242'
    // For each type: data, an id that shows it, and a similar id that does not.
    for (const [type, data, held, control] of [
      ['token', `Value ${c.tag}`, `value-${c.tag}`, `value-${c.tag}-1`],
      ['card', card, `${c.tag} ${number}`, `${c.tag} 424242 4242`],
      ['card', card, `${c.tag}-4242-4242-4242-4242`, `${c.tag}-4242-4242-4242`],
      ['card_number', number, number, `${c.tag}a`],
      ['bank', bank, `${c.tag}${bank.account_number}`, `${c.tag}${bank.routing_number}`],
      ['us_bank_account_number', bank.account_number, bank.account_number, `${c.tag}b`],
      ['us_bank_routing_number', bank.routing_number, bank.routing_number, `${c.tag}c`],
      ['social_security_number', ssn, ssn.replaceAll('-', ''), `${c.tag}d`],
      ['employer_id_number', '12-3456789', '1-2-3-4-5-6-7-8-9', `${c.tag}e`],
    ] as const) {
      const send = (id: string) => post(c)({ type, data, id, containers: [c.container] })
      await c.refuses(400, send, control, { [`the data of a ${type}`]: held })
      const { text } = await send(held)
      c.ok(!text.includes(held), `the refused id of a ${type} is not repeated`, text)
    }
  },
  'TOK-520.b: an expression that evaluates to the data or its number is refused, alone and in a payload':
    async c => {
      for (const [type, data, held, control] of [
        ['token', c.tag, '{{ data }}', '{{ data }}1'],
        ['card', card, '{{ data.number }}', `${c.tag}{{ data.number | last4 }}`],
        ['social_security_number', ssn, '{{ data }}', `${c.tag}{{ data | last4 }}`],
      ] as const) {
        const body = (id: string) => ({ type, data, id, containers: [c.container] })
        await c.refuses(400, id => post(c)(body(id)), control, { [`all of a ${type}`]: held })
        const payload = (id: string) => c.asPrivate('POST', '/tokenize', { list: [body(id)] })
        await c.refuses(400, payload, `${control}2`, { [`all of a ${type} in a payload`]: held })
      }
    },
  'TOK-521.a: null means the default search indexes in a create and none in an update, an empty list none in both':
    async c => {
      for (const { type, examples } of tokenTypes) {
        const [{ data }] = examples
        const make = (members: object) => c.token({ type, data, containers: undefined, ...members })
        const indexesOf = async (id: string) => (await c.read(id)).search_indexes ?? []
        const usual = await indexesOf((await make({})).id)
        const { id } = await make({ search_indexes: null })
        c.equal(await indexesOf(id), usual, `null for ${type}`)
        c.equal(await indexesOf((await make({ search_indexes: [] })).id), [], `an empty list for ${type}`)
        await c.patch(id, { search_indexes: null })
        c.equal(await indexesOf(id), [], `null in an update of ${type}`)
        await c.patch(id, { search_indexes: [] })
        c.equal(await indexesOf(id), [], `an empty list in an update of ${type}`)
      }
    },
  'TOK-554.a: an id made by alias_card passes the Luhn check, or never does': async c => {
    const ids = (id: string) => Promise.all(times(8, async () => (await c.token({ ...own, id })).id))
    const own = { type: 'card', data: card }
    for (const id of await ids('{{ data.number | alias_card: true }}')) {
      c.ok(/^42424242\d{8}$/.test(id) && isLuhn(id), 'an id passes', id)
    }
    for (const id of await ids('{{ data.number | alias_card: true, false, false }}')) {
      c.ok(/^42424242\d{8}$/.test(id) && !isLuhn(id), 'an id does not pass', id)
    }
  },
})
