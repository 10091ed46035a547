import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { minute } from './values.ts'

const keyed = (c: Context, key: string) => c.keyed(`${c.tag} ${key}`)

/** The response to a repeated request after a change. */
export const surrogateIdempotencyCases = cases({
  'IDE-520.a: a repeated request shows nothing that the caller may no longer create or use': async c => {
    const both = [c.container, `${c.container}below/`].map((container, index) => ({
      priority: 2 - index,
      container,
      transform: 'mask',
      permissions: ['token:create', 'token:use'],
    }))
    const { id, call } = await c.application({ rules: both })
    const used = await c.token({ data: c.tag })
    const reactor = await c.reactor()
    const token = { type: 'token', data: 1, containers: [c.container] }
    const requests = {
      '/tokens': token,
      '/tokenize': [token],
      [`/reactors/${reactor.id}/react`]: { args: { secret: `{{ ${used.id} }}` } },
    }
    const rights = async (rules: object[]) =>
      c.success(await c.asManagement('PUT', `/applications/${id}`, { name: c.tag, rules }), 200)
    for (const [path, body] of Object.entries(requests)) {
      const send = () => call('POST', path, body, keyed(c, path))
      const first = c.success(await send(), undefined, `${path}, the first`)
      c.equal(c.success(await send(), first.status, `${path}, again`).body, first.body, path)
      await rights(both.slice(1))
      c.refused(await send(), 403, `${path}, with rights elsewhere alone`)
      await rights(both)
      c.success(await send(), first.status, `${path}, with its rights again`)
    }
  },
  'IDE-521.a: a repeated create shows the token as it is now, and is 404 when it no longer exists':
    async c => {
      const token = { type: 'token', data: 1, containers: [c.container] }
      for (const [path, body] of Object.entries({ '/tokens': token, '/tokenize': token })) {
        const send = () => c.asPrivate('POST', path, body, keyed(c, path))
        const { id } = c.success(await send()).body
        await c.patch(id, { metadata: { changed: 'yes' } })
        c.equal(c.success(await send()).body.metadata, { changed: 'yes' }, `metadata after ${path} again`)
        c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204)
        c.refused(await send(), 404, `${path} after the token is deleted`)
      }
    },
  'IDE-522.a: a repeated create is 404 when what it created no longer exists': async c => {
    const code = 'module.exports = async req => ({ raw: req.args })'
    const formula = { name: c.tag, type: 'private', code, configuration: [], request_parameters: [] }
    const make = async (path: string, body: object) => {
      const send = () => c.asManagement('POST', path, body, keyed(c, path))
      const first = c.success(await send(), 201, path)
      c.equal(c.success(await send(), 201, `${path} again`).body.id, first.body.id, path)
      return { path: `${path}/${first.body.id}`, id: first.body.id, send }
    }
    const template = await make('/reactor-formulas', formula)
    const reactor = await make('/reactors', {
      name: c.tag,
      configuration: {},
      formula: { id: template.id },
    })
    const application = await make('/applications', {
      name: c.tag,
      type: 'private',
      permissions: ['token:read'],
    })
    for (const { path, send } of [reactor, template, application]) {
      c.success(await c.asManagement('DELETE', path), 204)
      c.refused(await send(), 404, path)
    }
    const session = () => c.asPublic('POST', '/sessions', undefined, keyed(c, 'session'))
    const first = c.success(await session(), 201)
    c.equal(c.success(await session(), 201).body, first.body, 'the session again')
    const grant = { nonce: first.body.nonce, permissions: ['token:create'] }
    const authorize = () => c.asPrivate('POST', '/sessions/authorize', grant, keyed(c, 'authorize'))
    for (const which of ['first', 'second']) c.success(await authorize(), 200, `the ${which} authorization`)
    await c.advance(3 * minute)
    c.refused(await session(), 404, 'the session after its end')
    c.refused(await authorize(), 404, 'its authorization after its end')
  },
  'IDE-523.a: a request that is repeated with a slash at the end of its path is the same': async c => {
    const token = { type: 'token', data: 1, containers: [c.container] }
    const send = (path: string, data = 1) => c.asPrivate('POST', path, { ...token, data }, keyed(c, 'one'))
    const first = c.success(await send('/tokens'), 201)
    c.equal(c.success(await send('/tokens/'), 201).body, first.body, 'the second answer')
    c.refused(await send('/tokens/', 2), 422, 'another body')
  },
})
