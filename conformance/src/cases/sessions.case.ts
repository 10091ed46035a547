import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import type { Call } from '../harness/target.ts'
import { hour, minute, rule } from './values.ts'

/** Expects that a session may create tokens until a minute before its end, and no more after it. */
async function expectLifetime(c: Context, call: Call, ms: number): Promise<void> {
  await c.advance(ms - minute)
  await c.token({}, call)
  await c.advance(minute + 2000)
  const body = { type: 'token', data: 1, containers: [c.container] }
  c.refused(await call('POST', '/tokens', body), 401, 'using it')
}

/** Specification, sections 2.9, 3 and 4.5. */
export const sessionCases = cases({
  'SES-001.a: a public application gets a session key, a nonce and an expiry': async c => {
    const [one, two] = [await c.session(), await c.session()]
    for (const name of ['session_key', 'nonce']) {
      c.ok(typeof one[name] === 'string' && one[name] !== '', `${name} is a text`, one[name])
      c.ok(one[name] !== two[name], `${name} of another session is another`, two[name])
    }
    c.ok(Number.isFinite(Date.parse(one.expires_at)), 'expires_at is a date', one.expires_at)
  },
  'SES-002.a: a session expires in three minutes': async c => {
    const before = await c.now()
    const { expires_at } = await c.session()
    const after = await c.now()
    const at = Date.parse(expires_at)
    // To the second, since a service need not show fractions.
    c.ok(
      at >= before + 3 * minute - 1000 && at <= after + 3 * minute + 1000,
      `three minutes, not ${at - before} ms`,
      at,
    )
  },
  'SES-003.a: a session has no access until it is authorized': async c => {
    const { session_key, nonce } = await c.session()
    const call = c.as(session_key)
    const create = () => call('POST', '/tokens', { type: 'token', data: 1, containers: [c.container] })
    c.refused(await create(), 403, 'creating a token before')
    c.refused(await call('GET', '/tokens'), 403, 'listing tokens before')
    const grant = { nonce, permissions: ['token:create'] }
    c.success(await c.asPrivate('POST', '/sessions/authorize', grant), 200)
    c.success(await create(), 201, 'creating a token afterwards')
  },
  'SES-004.a: a session can do what its permissions allow': async c => {
    const { call } = await c.authorized({ permissions: ['token:create', 'token:read'] })
    const { id } = await c.token({}, call)
    c.equal((await c.read(id, call)).id, id, 'id')
  },
  'SES-005.a: a session cannot do what its permissions do not allow': async c => {
    const { call } = await c.authorized({ permissions: ['token:create', 'token:read'] })
    const { id } = await c.token({}, call)
    c.refused(await call('DELETE', `/tokens/${id}`), 403, 'deleting')
    c.refused(await call('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } }), 403, 'updating')
    const more = await c.authorized({ permissions: ['token:delete'] })
    c.success(await more.call('DELETE', `/tokens/${id}`), 204, 'deleting with the permission')
  },
  'SES-006.a: a used nonce is refused, and the first grant stays': async c => {
    const { session_key, nonce } = await c.session()
    const authorize = (permissions: string[]) =>
      c.asPrivate('POST', '/sessions/authorize', { nonce, permissions })
    await c.refuses(409, authorize, ['token:create'], {
      'the same token again': ['token:create'],
      'more than before': ['token:create', 'token:read'],
    })
    const { id } = await c.token({}, c.as(session_key))
    c.refused(await c.as(session_key)('GET', `/tokens/${id}`), 403, 'what the second would have granted')
  },
  'SES-006.b: only one of several simultaneous uses of a nonce succeeds': async c => {
    const { nonce } = await c.session()
    const body = { nonce, permissions: ['token:create'] }
    const uses = Array.from({ length: 6 }, () => c.asPrivate('POST', '/sessions/authorize', body))
    const statuses = (await Promise.all(uses)).map(reply => reply.status)
    c.equal(statuses.filter(status => status < 300).length, 1, 'successes')
    c.equal(statuses.filter(status => status >= 400 && status < 500).length, 5, 'errors')
  },
  'SES-007.a: a grant without permissions and rules is refused, and the nonce stays usable': async c => {
    const { nonce } = await c.session()
    const authorize = (grant: object) => c.asPrivate('POST', '/sessions/authorize', { nonce, ...grant })
    c.refused(await authorize({}), 400, 'neither')
    c.refused(await authorize({ permissions: [], rules: [] }), 400, 'both empty')
    const last = await authorize({ permissions: ['token:create'] })
    c.surrogate(() => c.success(last, 200, 'the nonce afterwards'))
    const { nonce: another } = await c.session()
    const control = { nonce: another, permissions: ['token:create'] }
    c.success(await c.asPrivate('POST', '/sessions/authorize', control), 200, 'the control')
  },
  'SES-008.a: an unknown or missing nonce is refused': async c => {
    const { nonce } = await c.session()
    const authorize = (given: unknown) =>
      c.asPrivate('POST', '/sessions/authorize', { nonce: given, permissions: ['token:create'] })
    await c.refuses<unknown>(undefined, authorize, nonce, {
      'another text': `${nonce}x`,
      'no nonce': undefined,
    })
    c.refused(await authorize('x'), 404, 'a short text')
  },
  'SES-018.a: a grant with a permission that does not exist is refused': async c => {
    const grant = async (permissions: string[]) => {
      const { nonce } = await c.session()
      return c.asPrivate('POST', '/sessions/authorize', { nonce, permissions })
    }
    await c.refuses(400, grant, ['token:create'], {
      'one that does not exist': ['token:fly'],
      'one beside another': ['token:create', 'token:fly'],
    })
  },
  'SES-009.a: a session works until its expiry, and not afterwards': async c => {
    const { call } = await c.authorized({ permissions: ['token:create'] })
    await expectLifetime(c, call, 3 * minute)
  },
  'SES-009.b: an expired session cannot be authorized': async c => {
    const [fresh, late] = [await c.session(), await c.session()]
    const authorize = (nonce: string) =>
      c.asPrivate('POST', '/sessions/authorize', { nonce, permissions: ['token:create'] })
    c.success(await authorize(fresh.nonce), 200, 'the control')
    await c.advance(3 * minute + 2000)
    c.refused(await authorize(late.nonce), 404, 'authorizing it')
  },
  'SES-010.a: a session authorized for an hour works for an hour': async c => {
    const expires_at = await c.later(hour)
    const { call } = await c.authorized({ permissions: ['token:create'], expires_at })
    await expectLifetime(c, call, hour)
  },
  'SES-011.a: neither a private key nor a session key can create a session': async c => {
    const { session_key } = await c.session()
    const create = (call: typeof c.asPublic) => call('POST', '/sessions')
    await c.refuses(403, create, c.asPublic, {
      'a private key': c.asPrivate,
      'a session key': c.as(session_key),
    })
  },
  'SES-012.a: neither a public key nor its own key can authorize a session': async c => {
    const permissions = ['token:create']
    const [{ nonce }, { nonce: another, session_key }] = [await c.session(), await c.session()]
    const authorize = ([call, one]: readonly [typeof c.asPublic, string]) =>
      call('POST', '/sessions/authorize', { nonce: one, permissions })
    await c.refuses<readonly [typeof c.asPublic, string]>(403, authorize, [c.asPrivate, nonce], {
      'a public key': [c.asPublic, another],
      'its own key': [c.as(session_key), another],
    })
  },
  'SES-013.a: the response to an authorization has no body': async c => {
    const { nonce } = await c.session()
    const reply = await c.asPrivate('POST', '/sessions/authorize', { nonce, permissions: ['token:create'] })
    c.equal(c.success(reply, 200).text, '', 'body')
  },
  'SES-501.a: a session with an access rule sees what the rule shows, and nothing else': async c => {
    const inside = await c.token({ containers: [`${c.container}in/`], mask: 'X' })
    const outside = await c.token({ containers: [`${c.container}out/`] })
    const rules = [rule(`${c.container}in/`, 'mask', ['token:read'])]
    const { nonce, session_key } = await c.session()
    const reply = await c.asPrivate('POST', '/sessions/authorize', { nonce, rules })
    c.success(reply, 200, 'authorizing by a rule')
    const call = c.as(session_key)
    c.equal((await c.read(inside.id, call)).data, 'X', 'data inside')
    c.refused(await call('GET', `/tokens/${outside.id}`), 403, 'reading outside')
    c.success(await c.asPrivate('GET', `/tokens/${outside.id}`), 200, 'the control')
  },
})
