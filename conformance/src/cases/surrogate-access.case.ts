import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { hour } from './values.ts'

const create = (c: Context) => (body: object) =>
  c.asManagement('POST', '/applications', { name: c.tag, ...body })
const rule = (members: object) => ({
  priority: 1,
  container: '/a/',
  transform: 'mask',
  permissions: ['token:read'],
  ...members,
})

/** Applications and access rules. */
export const applicationCases = cases({
  'APP-501.a: an application shows its key when it is created, and never again': async c => {
    const rules = [rule({ description: 'One' })]
    const made = c.success(
      await create(c)({ type: 'private', permissions: ['token:search'], rules }),
      201,
    ).body
    c.ok(typeof made.key === 'string' && made.key.length >= 16, 'there is a key', made.key)
    const read = await c.get(`/applications/${made.id}`)
    c.equal(
      [read.name, read.type, read.permissions, read.key],
      [c.tag, 'private', ['token:search'], undefined],
      'the application',
    )
    c.equal(read.rules[0].container, '/a/', 'container of its rule')
    const list = c.success(await c.asManagement('GET', '/applications?size=100'), 200)
    c.ok(!list.text.includes(made.key), 'the key is not in the list', list.text)
    c.ok(c.ids(list.body).includes(made.id), 'the application is in the list', c.ids(list.body))
  },
  'APP-502.a: each type of application is refused permissions that it may not hold': async c => {
    for (const [type, may, mayNot] of [
      ['public', 'token:update', 'token:read'],
      ['private', 'token:use', 'reactor:read'],
      ['management', 'log:read', 'token:read'],
    ] as const) {
      const send = (permission: string) => create(c)({ type, permissions: [permission] })
      await c.refuses<string>(400, send, may, {
        [`${mayNot} for ${type}`]: mayNot,
        'no permission at all': 'token:fly',
      })
    }
    await c.refuses<object>(
      400,
      create(c),
      { type: 'private', rules: [rule({})] },
      { 'no rights': { type: 'private' } },
    )
    const ruled = (permission: string) =>
      create(c)({ type: 'public', rules: [rule({ permissions: [permission] })] })
    await c.refuses<string>(400, ruled, 'token:create', { 'token:read in a rule': 'token:read' })
  },
  'APP-511.a: a public application without permissions and rules can create sessions and nothing else':
    async c => {
      const { id, call } = await c.application({}, 'public')
      const { nonce, session_key } = c.success(await call('POST', '/sessions'), 201, 'its session').body
      const body = { type: 'token', data: c.tag, containers: [c.container] }
      const grant = { nonce, permissions: ['token:create'] }
      c.success(await c.asPrivate('POST', '/sessions/authorize', grant), 200, 'the authorization')
      c.success(await c.as(session_key)('POST', '/tokens', body), 201, 'a token of the session')
      c.refused(await call('POST', '/tokens', body), 403, 'a token of the application')
      const more = { name: c.tag, permissions: ['token:create'] }
      c.success(await c.asManagement('PUT', `/applications/${id}`, more), 200, 'a permission')
      c.success(await call('POST', '/tokens', body), 201, 'the control: with the permission')
      for (const none of [{}, { permissions: [], rules: null }]) {
        const { body } = c.success(
          await c.asManagement('PUT', `/applications/${id}`, { name: c.tag, ...none }),
          200,
        )
        c.equal([body.permissions, body.rules], [[], []], 'permissions and rules')
        const send = (type: string) => create(c)({ type, ...none })
        await c.refuses<string>(400, send, 'public', { private: 'private', management: 'management' })
      }
      const held = await c.application({ permissions: ['token:read'] })
      c.refused(
        await c.asManagement('PUT', `/applications/${held.id}`, { name: c.tag }),
        400,
        'a private one',
      )
    },
  'APP-503.a: a PUT replaces the permissions of an application, and its key still works': async c => {
    const { id, call } = await c.ruled('reveal', ['token:read'])
    const token = await c.token({ mask: 'X' })
    c.equal((await c.read(token.id, call)).data, c.tag, 'data before')
    const next = { name: `${c.tag} new`, type: 'public', permissions: ['token:read'], rules: [] }
    const { type } = c.success(await c.asManagement('PUT', `/applications/${id}`, next), 200).body
    c.equal(type, 'private', 'type')
    c.equal((await c.read(token.id, call)).data, 'X', 'data afterwards')
  },
  'APP-504.a: a deleted application no longer exists, and its key fails': async c => {
    const { id, call } = await c.ruled('reveal', ['token:read'])
    c.success(await call('GET', '/tokens'), 200, 'before')
    c.success(await c.asManagement('DELETE', `/applications/${id}`), 204)
    c.refused(await call('GET', '/tokens'), 401, 'its key')
    c.refused(await c.asManagement('GET', `/applications/${id}`), 404, 'reading it')
  },
  'APP-504.b: an application that a reactor uses cannot be deleted': async c => {
    const { id, call } = await c.ruled('reveal', ['token:read'])
    const reactor = await c.reactor({}, { application: { id } })
    c.refused(await c.asManagement('DELETE', `/applications/${id}`), 409, 'one in use')
    c.success(await call('GET', '/tokens'), 200, 'its key')
    c.success(await c.asManagement('DELETE', `/reactors/${reactor.id}`), 204)
    c.success(await c.asManagement('DELETE', `/applications/${id}`), 204)
  },
  'APP-506.a: a key can read its own application': async c => {
    const own = await c.get('/applications/key', c.asPrivate)
    c.equal([own.type, own.id], ['private', (await c.token()).created_by], 'type and id')
  },
  'APP-507.a: a malformed rule is refused': c => {
    const send = (rules: unknown) => create(c)({ type: 'private', rules })
    const condition = { attribute: 'container', operator: 'starts_with', value: '/a/' }
    return c.refuses<unknown>(400, send, [rule({})], {
      'container and conditions': [rule({ conditions: [condition] })],
      'neither of them': [rule({ container: undefined })],
      'a priority of 0': [rule({ priority: 0 })],
      'a priority twice': [rule({}), rule({})],
      'no permissions': [rule({ permissions: [] })],
      'an unknown transform': [rule({ transform: 'hide' })],
      'a malformed container': [rule({ container: 'a' })],
      'an unknown operator': [
        rule({ container: undefined, conditions: [{ ...condition, operator: 'like' }] }),
      ],
    })
  },
  'APP-508.a: the sessions of a deleted application end': async c => {
    const application = await c.application({ permissions: ['token:create'] }, 'public')
    const { nonce, session_key } = c.success(await application.call('POST', '/sessions'), 201).body
    const body = { nonce, permissions: ['token:create'] }
    c.success(await c.asPrivate('POST', '/sessions/authorize', body), 200)
    await c.token({}, c.as(session_key))
    c.success(await c.asManagement('DELETE', `/applications/${application.id}`), 204)
    const after = await c.as(session_key)('POST', '/tokens', {
      type: 'token',
      data: 1,
      containers: [c.container],
    })
    c.refused(after, 401, 'using the session')
  },
  'APP-509.a: a key works until its expiry, and not afterwards': async c => {
    const { call } = await c.application({ permissions: ['token:read'], expires_at: await c.later(hour) })
    c.success(await call('GET', '/tokens'), 200, 'before')
    await c.advance(hour + 1000)
    c.refused(await call('GET', '/tokens'), 401, 'afterwards')
  },
  'ACC-501.a: the rule with the lower priority number decides, in whatever order the rules were given':
    async c => {
      const { id } = await c.token({ containers: [`${c.container}a/`], mask: 'X' })
      const wide = rule({ container: c.container, transform: 'reveal' })
      const narrow = rule({ container: `${c.container}a/`, transform: 'mask' })
      const shown = async (rules: object[]) => (await c.read(id, (await c.application({ rules })).call)).data
      c.equal(
        await shown([
          { ...wide, priority: 2 },
          { ...narrow, priority: 1 },
        ]),
        'X',
        'mask first',
      )
      c.equal(
        await shown([
          { ...wide, priority: 1 },
          { ...narrow, priority: 2 },
        ]),
        c.tag,
        'reveal first',
      )
      const other = { ...narrow, priority: 1, permissions: ['token:update'] }
      c.equal(await shown([other, { ...wide, priority: 2 }]), c.tag, 'a first that lists another permission')
    },
  'ACC-502.a: a rule covers its container and those below in any case, and no others': async c => {
    const { call } = await c.ruled('reveal', ['token:read'], `${c.container}A/`)
    const at = async (path: string) => (await c.token({ containers: [`${c.container}${path}`] })).id
    c.equal((await c.read(await at('a/'), call)).data, c.tag, 'in it')
    c.equal((await c.read(await at('a/b/'), call)).data, c.tag, 'below it')
    for (const path of ['ab/', ''])
      c.refused(await call('GET', `/tokens/${await at(path)}`), 403, `at ${path}`)
  },
  'ACC-503.a: a rule with conditions covers tokens that meet all of them': async c => {
    const [one, two] = [await c.token(), await c.token()]
    const conditions = [
      { attribute: 'id', operator: 'equals', value: one.id },
      { attribute: 'container', operator: 'starts_with', value: c.container },
    ]
    const { call } = await c.application({
      rules: [rule({ container: undefined, conditions, transform: 'reveal' })],
    })
    c.equal((await c.read(one.id, call)).data, c.tag, 'data')
    c.refused(await call('GET', `/tokens/${two.id}`), 403, 'another id')
    const elsewhere = conditions.map((one, n) =>
      n === 1 ? { ...one, operator: 'equals', value: '/else/' } : one,
    )
    const other = await c.application({ rules: [rule({ container: undefined, conditions: elsewhere })] })
    c.refused(await other.call('GET', `/tokens/${one.id}`), 403, 'another container')
  },
  'ACC-504.a: a permission held directly shows every token masked': async c => {
    const { call } = await c.application({ permissions: ['token:read'] })
    c.equal((await c.read((await c.token({ mask: 'X' })).id, call)).data, 'X', 'data')
  },
  'ACC-505.a: the stricter rule decides for a token in two containers, and both need a rule': async c => {
    const [a, b] = [`${c.container}a/`, `${c.container}b/`]
    const { id } = await c.token({ containers: [a, b], mask: 'X' })
    const rules = [
      rule({ container: a, transform: 'reveal' }),
      rule({ priority: 2, container: b, transform: 'mask' }),
    ]
    c.equal((await c.read(id, (await c.application({ rules })).call)).data, 'X', 'data under both')
    const half = await c.application({ rules: rules.slice(0, 1) })
    c.refused(await half.call('GET', `/tokens/${id}`), 403, 'with a rule for one')
  },
  'ACC-506.a: moving a token needs token:update on both sides': async c => {
    const [a, b, other] = [`${c.container}a/`, `${c.container}b/`, `${c.container}c/`]
    const rules = [a, b].map((container, n) =>
      rule({ priority: n + 1, container, permissions: ['token:update'] }),
    )
    const { call } = await c.application({ rules })
    const { id } = await c.token({ containers: [a] })
    const move = (to: string) => call('PATCH', `/tokens/${id}`, { containers: [to] })
    await c.refuses(403, move, b, { 'out of reach': other })
    c.equal((await c.read(id)).containers, [b], 'containers')
  },
  'ACC-507.a: creating a token needs token:create in each container': async c => {
    const { call } = await c.ruled('mask', ['token:create'], `${c.container}a/`)
    const send = (containers: string[]) => call('POST', '/tokens', { type: 'token', data: 1, containers })
    await c.refuses(403, send, [`${c.container}a/`], {
      'another container': [`${c.container}b/`],
      'one of two': [`${c.container}a/`, `${c.container}b/`],
    })
  },
  'ACC-507.undone: a create that no rule covers stores nothing, alone and in a payload': async c => {
    const metadata = { run: c.tag }
    const { id } = await c.token({ metadata })
    const own = `${c.container}a/`
    const { call } = await c.ruled('mask', ['token:create', 'token:read'], own)
    const body = { type: 'token', data: 1, id: `${c.tag}-free`, containers: [c.container], metadata }
    for (const containers of [[c.container], [own, c.container]])
      for (const path of ['/tokens', '/tokenize'])
        c.refused(await call('POST', path, { ...body, containers }), 403, `${containers} by ${path}`)
    c.equal(c.ids(await c.get(`/tokens?metadata.run=${c.tag}`, c.asPrivate)), [id], 'what is listed')
    await c.finds('', [id], 'what is found')
    c.refused(await c.asPrivate('GET', `/tokens/${body.id}`), 404, 'reading the id')
    c.equal((await c.token({ ...body, containers: [own] }, call)).id, body.id, 'the id of a covered create')
  },
  'ACC-508.a: a token without a mask shows no data under mask': async c => {
    const { call } = await c.ruled('mask', ['token:read'])
    const [none, some] = [await c.token(), await c.token({ mask: 'X' })]
    c.equal((await c.read(none.id, call)).data ?? undefined, undefined, 'data without a mask')
    c.equal((await c.read(some.id, call)).data, 'X', 'data with one')
  },
  'ACC-509.a: a management key cannot access tokens': c =>
    c.refuses(403, call => call('GET', '/tokens'), c.asPrivate, { 'a management key': c.asManagement }),
  'ACC-509.b: a private key cannot access formulas': async c => {
    const formulas = (call: typeof c.asPrivate) => call('GET', '/reactor-formulas')
    await c.refuses(403, formulas, c.asManagement, { 'a private key': c.asPrivate })
  },
  'ACC-510.a: two tenants can use the same id, and the same data has different fingerprints': async c => {
    const own = await c.token({ id: c.tag, data: 'same' })
    const foreign = await c.token({ id: c.tag, data: 'same' }, c.asOther)
    c.ok(own.tenant_id !== foreign.tenant_id, 'the tenants differ', own.tenant_id)
    c.ok(own.fingerprint !== foreign.fingerprint, 'the fingerprints differ', own.fingerprint)
    c.equal((await c.token({ data: 'same' })).fingerprint, own.fingerprint, 'within a tenant they do not')
  },
  'LOG-501.a: the log shows a create and a read that reveals, and contains no data': async c => {
    const { id, created_by } = await c.token({ data: `secret ${c.tag}` })
    await c.read(id)
    type Entry = { operation: string; actor_id: string; outcome: string }
    const ask = () => c.asManagement('GET', `/logs?entity_type=token&entity_id=${id}`)
    // Another case may search or list at the same time with another key and be shown this token, too.
    const reply = await c.eventually(async () => {
      const found = c.success(await ask(), 200)
      const own = found.body.data.filter((entry: Entry) => entry.actor_id === created_by)
      const done = own.map((entry: Entry) => `${entry.operation} ${entry.outcome}`)
      return ['create', 'read'].every(name => done.includes(`token:${name} success`)) ? found : undefined
    }, 'the entries of the create and the read')
    c.ok(!reply.text.includes('secret'), 'it shows no data', reply.text)
    const none = c.success(await c.asManagement('GET', `/logs?entity_id=${id}&to=2001-01-01T00:00:00Z`), 200)
    c.equal(none.body.data, [], 'before it was made')
  },
  'TOK-512.a [management]: the log entry of a deletion names the token': async c => {
    const { id } = await c.token()
    c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204)
    // A list of another case at the same time may be logged later than the deletion.
    await c.eventually(async () => {
      const { data } = await c.get(`/logs?entity_id=${id}`)
      return data.some((entry: { operation: string }) => entry.operation === 'token:delete') || undefined
    }, 'the entry of the deletion')
  },
})
