import { cases } from '../harness/case.ts'
import { bank, card, hour, uuid } from './values.ts'

/** Specification, sections 2.1 and 4.1: creating tokens. */
export const tokenCreateCases = cases({
  'TOK-001.a: a stored card is returned whole to a caller that may reveal it': async c => {
    const made = await c.token({ type: 'card', data: card })
    const read = await c.read(made.id)
    c.equal(read.id, made.id, 'id')
    c.matches(read.data, card, 'data')
    c.equal(read.type, 'card', 'type')
  },
  'TOK-001.c: stored data of any form is returned whole': async c => {
    const data = { a: [1, 'two', { b: null }], c: c.tag }
    const read = await c.read((await c.token({ data })).id)
    c.equal([read.type, read.data], ['token', data], 'type and data')
  },
  'TOK-001.b: a stored bank account is returned whole': async c => {
    const read = await c.read((await c.token({ type: 'bank', data: bank })).id)
    c.equal([read.type, read.data], ['bank', bank], 'type and data')
  },
  'TOK-002.a: a supplied id is the id of the token': async c => {
    const { id } = await c.token({ id: c.tag, data: 1 })
    c.equal(id, c.tag, 'id')
    c.equal((await c.read(c.tag)).id, c.tag, 'id when read')
  },
  'TOK-003.a: tokens without a supplied id get different UUIDs': async c => {
    const [one, two] = [await c.token(), await c.token()]
    c.ok(uuid.test(one.id), 'the first id is a UUID', one.id)
    c.ok(uuid.test(two.id), 'the second id is a UUID', two.id)
    c.ok(one.id !== two.id, 'the ids differ', one.id)
  },
  'TOK-004.a: an expression as an id is replaced by its value': async c => {
    const { id } = await c.token({ id: '{{ data.name }}', data: { name: `id-${c.tag}` } })
    c.equal(id, `id-${c.tag}`, 'id')
  },
  'TOK-005.a: a token without a type is refused': c =>
    c.refuses<object>(
      400,
      body => c.asPrivate('POST', '/tokens', body),
      { type: 'token', data: 1 },
      {
        'no type': { data: 1 },
        'no text as type': { type: 1, data: 1 },
      },
    ),
  'TOK-006.a: a token without data is refused': c =>
    c.refuses<object>(
      400,
      body => c.asPrivate('POST', '/tokens', body),
      { type: 'token', data: 1 },
      {
        'no data': { type: 'token' },
      },
    ),
  'TOK-007.a: the response to a create contains the given members': async c => {
    const given = {
      mask: { name: '{{ data.name | last4 }}' },
      containers: [`${c.container}one/`, `${c.container}two/`],
      metadata: { run: c.tag, Note: 'As Written' },
      search_indexes: ['{{ data.name }}'],
      fingerprint_expression: '{{ data.name }}',
    }
    const made = await c.token({ data: { name: c.tag }, ...given, expires_at: '2099-12-31T10:00:00+02:00' })
    const read = await c.read(made.id)
    for (const [name, value] of Object.entries(given)) {
      c.equal(made[name], value, name)
      c.equal(read[name], value, `${name} when read`)
    }
    c.equal(Date.parse(made.expires_at), Date.parse('2099-12-31T08:00:00Z'), 'expires_at')
    c.equal(made.type, 'token', 'type')
  },
  'TOK-008.a: the response to a create contains tenant, creator, time and containers': async c => {
    const [one, two] = [await c.token(), await c.token({ containers: undefined })]
    c.ok(uuid.test(one.tenant_id), 'tenant_id is a UUID', one.tenant_id)
    c.ok(uuid.test(one.created_by), 'created_by is a UUID', one.created_by)
    c.ok(Number.isFinite(Date.parse(one.created_at)), 'created_at is a date', one.created_at)
    c.equal([two.tenant_id, two.created_by], [one.tenant_id, one.created_by], 'tenant and creator of another')
    c.ok(
      Array.isArray(two.containers),
      'a token without containers of its own has those of its type',
      two.containers,
    )
  },
  'TOK-009.a: the response to a create hides what the mask hides, and a read that reveals shows it':
    async c => {
      const made = await c.token({ data: { secret: c.tag, open: 1 }, mask: { open: '{{ data.open }}' } })
      c.ok(made.data?.secret === undefined, 'the secret is not in the answer', made.data)
      c.equal((await c.read(made.id)).data?.secret, c.tag, 'the secret when read')
    },
  'TOK-010.a: the default fingerprint expression of a token is the documented one': async c => {
    const [given, standard] = [await c.token({ fingerprint_expression: '{{ data }}' }), await c.token()]
    c.equal(given.fingerprint_expression, '{{ data }}', 'the expression given')
    c.equal(standard.fingerprint_expression, '{{ data | stringify }}', 'the standard expression')
  },
  'TOK-011.a: metadata with values other than strings is refused': c =>
    c.refuses<unknown>(
      400,
      metadata => c.asPrivate('POST', '/tokens', { type: 'token', data: 1, metadata }),
      { key: '1' },
      { 'a number': { key: 1 }, 'an object': { key: { a: '1' } }, 'a list': ['1'], 'a text': 'key' },
    ),
  'TOK-012.a: a date-time with an offset means that instant': async c => {
    const { expires_at } = await c.token({ expires_at: '2099-06-01T12:00:00+05:30' })
    c.equal(Date.parse(expires_at), Date.parse('2099-06-01T06:30:00Z'), 'expires_at')
  },
  'TOK-013.a: a date-time without an offset is read as UTC': async c => {
    const { expires_at } = await c.token({ expires_at: '2099-06-01T12:00:00' })
    c.equal(Date.parse(expires_at), Date.parse('2099-06-01T12:00:00Z'), 'expires_at')
  },
  'TOK-014.a: a short date means midnight in UTC': async c => {
    const { expires_at } = await c.token({ expires_at: '2099-06-01' })
    c.equal(Date.parse(expires_at), Date.parse('2099-06-01T00:00:00Z'), 'expires_at')
  },
  'TOK-015.a: an expiry that is not a date is refused': c =>
    c.refuses(
      400,
      expires_at => c.asPrivate('POST', '/tokens', { type: 'token', data: 1, expires_at }),
      '2099-06-01T12:00:00Z',
      { 'a word': 'tomorrow', 'a month 13': '2099-13-01T12:00:00Z' },
    ),
  'TOK-016.plain: tokens of equal data have equal fingerprints, and those of other data others': async c => {
    const [one, same, other] = [await c.token(), await c.token(), await c.token({ data: `${c.tag}2` })]
    c.ok(typeof one.fingerprint === 'string', 'there is a fingerprint', one.fingerprint)
    c.equal(same.fingerprint, one.fingerprint, 'the fingerprint of the same data')
    c.ok(other.fingerprint !== one.fingerprint, 'other data has another', other.fingerprint)
  },
  'TOK-016.a: equal data has equal fingerprints, and different data different ones': async c => {
    const one = await c.token({ type: 'card', data: card })
    const same = await c.token({ type: 'card', data: card })
    const other = await c.token({ type: 'card', data: { ...card, number: '5555555555554444' } })
    c.ok(
      typeof one.fingerprint === 'string' && one.fingerprint !== '',
      'a card has a fingerprint',
      one.fingerprint,
    )
    c.equal(same.fingerprint, one.fingerprint, 'the fingerprint of the same contents')
    c.ok(other.fingerprint !== one.fingerprint, 'other contents have another fingerprint', other.fingerprint)
  },
  'TOK-017.a: data that the fingerprint expression leaves out does not change the fingerprint': async c => {
    const fingerprint_expression = '{{ data.a }}'
    const make = (data: object) => c.token({ data, fingerprint_expression })
    const one = await make({ a: c.tag, b: 1 })
    c.equal((await make({ a: c.tag, b: 2 })).fingerprint, one.fingerprint, 'the fingerprint')
    const { fingerprint } = await make({ a: `${c.tag}2`, b: 1 })
    c.ok(fingerprint !== one.fingerprint, 'the fingerprint of another value is another', fingerprint)
  },
  'TOK-041.a: members that were not set are absent or null': async c => {
    const read = await c.read((await c.token()).id)
    for (const name of ['metadata', 'search_indexes', 'expires_at', 'modified_by', 'modified_at']) {
      const value = read[name]
      const unset = value === undefined || value === null || (name === 'search_indexes' && value.length === 0)
      c.ok(unset, `${name} is absent or null`, value)
    }
    const dated = await c.read((await c.token({ expires_at: '2099-01-01', metadata: { a: 'b' } })).id)
    c.ok(dated.expires_at && dated.metadata, 'they are there when they were given', dated)
  },
  'TOK-042.a: a token in responses to create, read and list has no enrichments': async c => {
    const made = await c.token({ metadata: { run: c.tag } })
    const list = (await c.asPrivate('GET', `/tokens?metadata.run=${c.tag}`)).body
    c.equal(c.ids(list), [made.id], 'ids of the list')
    for (const token of [made, await c.read(made.id), list.data[0]]) {
      c.ok(
        token.enrichments === undefined || token.enrichments === null,
        'there are no enrichments',
        token.enrichments,
      )
    }
  },
  'TOK-043.a: a token shows its creator, and who last changed it after a change': async c => {
    const rules = [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:create', 'token:update'] },
    ]
    const [one, two] = [await c.application({ rules }), await c.application({ rules })]
    const { id, created_by } = await c.token({}, one.call)
    c.equal(created_by, one.id, 'created_by')
    await c.patch(id, { data: 'other' }, two.call)
    const read = await c.read(id)
    c.equal([read.created_by, read.modified_by], [one.id, two.id], 'created_by and modified_by')
    c.ok(
      Date.parse(read.modified_at) >= Date.parse(read.created_at),
      'modified_at is not before created_at',
      read.modified_at,
    )
  },
  'TOK-044.a: a restricted read shows the mask instead of the data': async c => {
    const call = await c.under('mask', ['token:read'])
    const { id } = await c.token({
      data: { name: 'Jane', n: 1 },
      mask: { name: "{{ data.name | remove: 'a' }}" },
    })
    c.equal((await c.read(id, call)).data, { name: 'Jne' }, 'masked data')
    c.equal((await c.read(id)).data, { name: 'Jane', n: 1 }, 'data under reveal')
  },
  'TOK-045.plain: a create that is refused for its expiry stores nothing': async c => {
    const metadata = { run: c.tag }
    const { id } = await c.token({ metadata })
    const body = { type: 'token', data: 1, metadata, expires_at: 'never' }
    c.refused(await c.asPrivate('POST', '/tokens', body), 400, 'a malformed time')
    c.equal(c.ids((await c.asPrivate('GET', `/tokens?metadata.run=${c.tag}`)).body), [id], 'what is stored')
  },
  'TOK-045.a: a refused create stores nothing': async c => {
    const body = { type: 'card', data: card, metadata: { run: c.tag }, containers: [c.container] }
    const { id } = c.success(await c.asPrivate('POST', '/tokens', body), 201).body
    const wrong = { ...body, data: { ...card, number: 'none' } }
    c.refused(await c.asPrivate('POST', '/tokens', wrong), 400, 'an invalid card number')
    c.equal(c.ids((await c.asPrivate('GET', `/tokens?metadata.run=${c.tag}`)).body), [id], 'what is stored')
  },
  'TOK-039.a: a token exists before its expiry and is deleted an hour after it': async c => {
    const { id } = await c.token({ expires_at: await c.later(2 * hour) })
    await c.advance(hour)
    c.equal((await c.read(id)).id, id, 'id before')
    await c.advance(2 * hour + 1000)
    await c.eventually(async () => {
      const { status } = await c.asPrivate('GET', `/tokens/${id}`)
      return status >= 400 ? status : undefined
    }, 'the deletion of the token')
    c.refused(await c.asPrivate('GET', `/tokens/${id}`), 404, 'reading it')
  },
  'TOK-040.a: a token without an expiry still exists a month later': async c => {
    const { id } = await c.token()
    const { id: mortal } = await c.token({ expires_at: await c.later(24 * hour) })
    await c.advance(30 * 24 * hour)
    c.equal((await c.read(id)).data, c.tag, 'data')
    c.refused(await c.asPrivate('GET', `/tokens/${mortal}`), 404, 'one with a time of expiry, the control')
  },
})
