import { type Body, bodyOf, failing, type Mutants, responseFrom, token, tokens } from '../mutate.ts'

/** Mutants of access, applications, sessions and the log. */
export const accessMutants: Mutants = {
  // The response to an update shows the data under the new mask.
  'answers-the-new-mask': failing('ACC-521.a', 'ACC-521.b').intercept(
    'PATCH',
    token,
    async (received, send, target) => {
      const response = await send()
      const body = await bodyOf(response)
      if (!response.ok || received.body?.mask !== '{{ data }}') return response
      const whole = await send({ method: 'GET', key: target.privateKey })
      return responseFrom(response, { body: { ...body, data: (await bodyOf(whole)).data } })
    },
  ),
  // The response to an update shows callers who may read the data as it was before.
  'answers-the-old-mask': failing('ACC-521.c').intercept('PATCH', token, async (received, send) => {
    const before = await send({ method: 'GET' })
    const { data } = (await bodyOf(before)) ?? {}
    const response = await send()
    if (!before.ok || !response.ok || received.body?.mask === undefined) return response
    return responseFrom(response, { body: { ...(await bodyOf(response)), data } })
  }),
  // Every key that may update a token may set expressions over its data.
  'expressions-by-anyone': failing('ACC-520.b', 'ACC-520.c', 'ACC-520.d', 'SES-520.a').useKeys(
    'PATCH',
    token,
    [403],
    'privateKey',
  ),
  // Fingerprints are made from the data alone.
  'fingerprint-equal-across-tenants': failing('ACC-510.a').setInResponse('POST', tokens, (_, received) => ({
    fingerprint: JSON.stringify(received.body.data),
  })),
  // An authorization that grants nothing is accepted.
  'grants-nothing': failing('SES-007.a').changeStatus('POST', /^\/sessions\/authorize$/, 400, 200, undefined),
  // A rule by conditions covers everything.
  'ignores-conditions': failing('ACC-503.a').setInRequest('POST', /^\/applications$/, body => ({
    rules: body.rules?.map((rule: Body) =>
      rule.conditions ? { ...rule, conditions: undefined, container: '/' } : rule,
    ),
  })),
  // A request without a valid key is carried out.
  'ignores-keys': failing('AUT-001.a', 'APP-505.a').useKeys('GET|DELETE', /^\/tokens/, [401], 'privateKey'),
  // A key without token:delete can delete.
  'ignores-permissions': failing('AUT-005.a', 'SES-005.a').useKeys('DELETE', token, [403], 'privateKey'),
  // The rules of an application apply in the reverse order.
  'ignores-priority': failing('ACC-501.a').setInRequest('POST', /^\/applications$/, body => ({
    rules: body.rules?.map((rule: Body) => ({ ...rule, priority: 10 - rule.priority })),
  })),
  // A rule on a container covers everything.
  'ignores-rule-container': failing('ACC-502.a', 'ACC-507.a', 'INV-004.a', 'PAG-506.a').setInRequest(
    'POST',
    /^\/applications$/,
    body => ({ rules: body.rules?.map((rule: Body) => ({ ...rule, container: rule.container && '/' })) }),
  ),
  // A revoked key goes on working.
  'keeps-revoked-keys': failing('APP-514.a').intercept(
    'DELETE',
    /^\/applications\/[^/]+\/keys\//,
    async (received, send) => {
      const path = received.path.replace(/\/[^/]+$/, '')
      const listed = await send({ method: 'GET', path })
      const keys = await bodyOf(listed)
      return listed.ok && keys.length === 2 ? responseFrom(listed, { status: 204 }) : send()
    },
  ),
  // A second key replaces the first.
  'has-one-key': failing('APP-512.a').intercept(
    'POST',
    /^\/applications\/[^/]+\/keys$/,
    async (received, send) => {
      const response = await send()
      const listed = await send({ method: 'GET' })
      if (!response.ok || !listed.ok) return response
      const [, older] = await bodyOf(listed)
      await send({ method: 'DELETE', path: `${received.path}/${older.id}`, text: '' })
      return response
    },
  ),
  // The log is empty.
  'log-shows-nothing': failing('LOG-501.a', 'TOK-512.a').setInResponse('GET', /^\/logs$/, { data: [] }),
  // A public application needs permissions or rules.
  'needs-rights': failing('APP-511.a').intercept('POST', /^\/applications$/, (received, send) => {
    const { permissions, rules } = received.body ?? {}
    const isEmpty = [permissions, rules].every(list => (list ?? []).length === 0)
    return send(isEmpty ? { body: { ...received.body, type: 'private' } } : {})
  }),
  // A container of a token may have any length and depth.
  'long-containers': failing('ACC-531.a').setInRequest('POST|PATCH', /^\/tokens/, body => ({
    containers: body.containers?.map((path: string) => (path.length > 250 ? `${path.slice(0, 249)}/` : path)),
  })),
  // A list of rules that is too long is cut to 100.
  'many-rules': failing('ACC-533.a').setInRequest('POST|PUT', /^\/(applications|sessions)/, body => ({
    rules: body.rules?.slice(0, 100),
  })),
  // A resource that does not exist in one tenant is read from another.
  'mixes-tenants': failing('AUT-011.a').useKeys(
    'GET|PATCH|DELETE',
    token,
    [404],
    'privateKey',
    'otherPrivateKey',
  ),
  // A used nonce is accepted again.
  'nonce-works-twice': failing('SES-006.a').changeStatus(
    'POST',
    /^\/sessions\/authorize$/,
    409,
    200,
    undefined,
  ),
  // A session can be created with any key.
  'private-keys-make-sessions': failing('SES-011.a').useKeys('POST', /^\/sessions$/, [403], 'publicKey'),
  // A session can be authorized with any key.
  'public-keys-authorize': failing('SES-012.a').useKeys(
    'POST',
    /^\/sessions\/authorize$/,
    [403],
    'privateKey',
  ),
  // The expiry of a session is an hour away.
  'sessions-last-an-hour': failing('SES-002.a').setInResponse('POST', /^\/sessions$/, body => ({
    expires_at: new Date(Date.parse(body.expires_at) + 57 * 60_000).toISOString(),
  })),
  // A session can do what it was not granted.
  'sessions-need-no-grant': failing('SES-003.a', 'SES-005.a').useKeys(
    'GET|POST|PATCH|DELETE',
    /^\/tokens/,
    [403],
    'privateKey',
  ),
  // Every management key may rename the tenant.
  'renames-without-permission': failing('APP-541.a').useKeys(
    'PUT',
    /^\/tenants\/self$/,
    [403],
    'managementKey',
  ),
  // Every key reads the tenant.
  'shows-tenants-to-all': failing('APP-542.a').useKeys('GET', /^\/tenants\/self$/, [403], 'privateKey'),
  // The list of permissions says that all applications may hold all.
  'permissions-for-all': failing('APP-543.a').changeResponse('GET', /^\/permissions$/, body =>
    body.map((one: Body) => ({ ...one, application_types: ['public', 'private', 'management'] })),
  ),
  // A session still works after its expiry.
  'sessions-never-end': failing('SES-009.a', 'SES-010.a').useKeys('POST', tokens, [401], 'privateKey'),
}
