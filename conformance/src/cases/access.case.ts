import { cases } from '../harness/case.ts'
import type { Context, MadeApplication } from '../harness/context.ts'
import { NotSupported } from '../harness/finding.ts'
import type { Reply } from '../harness/target.ts'
import { allTokenPermissions } from './values.ts'

/** Checks that a request is accepted with one permission, and refused with all others of its type. */
async function needs(
  c: Context,
  permission: string,
  request: (call: MadeApplication['call']) => Promise<Reply>,
): Promise<void> {
  if (!c.has('applications')) {
    const able = permission.startsWith('token:') ? c.asPrivate : c.asManagement
    return c.refuses(403, request, able, { 'an application that lacks it': c.as(c.target.limitedKey) })
  }
  const [one, others] = permission.startsWith('token:')
    ? [
        await c.ruled('reveal', [permission]),
        await c.ruled(
          'reveal',
          allTokenPermissions.filter(name => name !== permission),
        ),
      ]
    : [
        await c.application({ permissions: [permission] }, 'management'),
        await c.application(
          { permissions: reactorPermissions.filter(name => name !== permission) },
          'management',
        ),
      ]
  await c.refuses(403, call => request(call), one.call, { [`everything but ${permission}`]: others.call })
}

const reactorPermissions = ['create', 'read', 'update', 'delete'].map(name => `reactor:${name}`)
const formula = {
  type: 'private',
  code: 'module.exports = () => ({})',
  configuration: [],
  request_parameters: [],
}

/** Specification, sections 1 and 5. */
export const accessCases = cases({
  'AUT-001.a: a request without a key or with an unknown one is refused': async c => {
    const { id } = await c.token()
    for (const [method, path] of [
      ['GET', '/tokens'],
      ['GET', `/tokens/${id}`],
      ['DELETE', `/tokens/${id}`],
    ] as const) {
      const none = await c.as(undefined)(method, path, undefined, { plain: true })
      c.refused(none, 401, `${method} without a key`)
      c.refused(await c.as(`key_${c.tag}`)(method, path), 401, `${method} with an unknown key`)
    }
    c.equal((await c.read(id)).id, id, 'the control')
  },
  'AUT-002.a: creating needs token:create': c =>
    needs(c, 'token:create', call =>
      call('POST', '/tokens', { type: 'token', data: 1, containers: [c.container] }),
    ),
  'AUT-003.a: reading needs token:read': async c => {
    const { id } = await c.token()
    await needs(c, 'token:read', call => call('GET', `/tokens/${id}`))
  },
  'AUT-003.b: listing needs token:read': c => needs(c, 'token:read', call => call('GET', '/tokens')),
  'AUT-004.a: updating needs token:update': async c => {
    const { id } = await c.token()
    await needs(c, 'token:update', call => call('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } }))
  },
  'AUT-005.a: deleting needs token:delete': async c => {
    const ids = [(await c.token()).id, (await c.token()).id]
    const all = [...ids]
    await needs(c, 'token:delete', call => call('DELETE', `/tokens/${all.shift()}`))
    c.success(await c.asPrivate('GET', `/tokens/${ids[1]}`), 200, 'reading the one that was not deleted')
  },
  'AUT-006.a: searching needs token:search': c =>
    needs(c, 'token:search', call => call('POST', '/tokens/search', { query: 'type:token' })),
  'AUT-007.a: creating a formula or a reactor needs reactor:create': async c => {
    await needs(c, 'reactor:create', call => call('POST', '/reactor-formulas', { ...formula, name: c.tag }))
    const { id } = await c.formula()
    const reactor = { name: c.tag, configuration: {}, formula: { id } }
    await needs(c, 'reactor:create', call => call('POST', '/reactors', reactor))
  },
  'AUT-008.a: reading and listing formulas and reactors needs reactor:read': async c => {
    const reactor = await c.reactor()
    const paths = [
      '/reactors',
      '/reactor-formulas',
      `/reactors/${reactor.id}`,
      `/reactor-formulas/${reactor.formula.id}`,
    ]
    for (const path of paths) await needs(c, 'reactor:read', call => call('GET', path))
  },
  'AUT-009.a: changing formulas and reactors needs reactor:update': async c => {
    const { id, formula: own } = await c.reactor()
    const body = { ...formula, name: c.tag }
    await needs(c, 'reactor:update', call => call('PUT', `/reactor-formulas/${own.id}`, body))
    await needs(c, 'reactor:update', call =>
      call('PUT', `/reactors/${id}`, { name: c.tag, configuration: {} }),
    )
    await needs(c, 'reactor:update', call => call('PATCH', `/reactors/${id}`, { name: c.tag }))
  },
  'AUT-010.a: deleting formulas and reactors needs reactor:delete': async c => {
    const formulas = [await c.formula(), await c.formula()].map(made => `/reactor-formulas/${made.id}`)
    const reactors = [await c.reactor(), await c.reactor()].map(made => `/reactors/${made.id}`)
    for (const paths of [formulas, reactors]) {
      await needs(c, 'reactor:delete', call => call('DELETE', paths.shift() ?? ''))
    }
  },
  'AUT-011.a: another tenant cannot read, change, delete, list or find a token': async c => {
    const own = await c.token({ metadata: { run: c.tag } })
    const foreign = await c.token({}, c.asOther)
    if (own.tenant_id === foreign.tenant_id) throw new NotSupported('second-tenant')
    const at = `/tokens/${own.id}`
    c.refused(await c.asOther('GET', at), 404, 'reading')
    c.refused(await c.asOther('PATCH', at, { metadata: { run: 'x' } }), 404, 'changing')
    c.refused(await c.asOther('DELETE', at), 404, 'deleting')
    const path = `/tokens?metadata.run=${c.tag}`
    c.equal(c.ids(await c.get(path, c.asOther)), [], 'ids of its list')
    c.equal(c.ids(await c.get(path, c.asPrivate)), [own.id], 'ids of our list')
    await c.finds('', [foreign.id], 'what its search finds', c.asOther)
    await c.finds('', [own.id], 'ids that our search finds')
    const all = c.success(await c.asOther('POST', '/tokens/search', { size: 100 }), 200).body
    c.ok(!c.ids(all).includes(own.id), 'a search for everything leaves it out', c.ids(all))
    c.equal((await c.read(own.id)).metadata, { run: c.tag }, 'metadata afterwards')
  },
})
