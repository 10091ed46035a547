import { cases } from '../harness/case.ts'

/** Keys of applications. */
export const keyCases = cases({
  'APP-505.a: the old key is refused after a new one was made': async c => {
    const { id, call } = await c.ruled('reveal', ['token:read'])
    c.success(await call('GET', '/tokens'), 200, 'the old key before')
    const { key } = c.success(await c.asManagement('POST', `/applications/${id}/regenerate`), 200).body
    c.refused(await call('GET', '/tokens'), 401, 'the old key')
    c.success(await c.as(key)('GET', '/tokens'), 200, 'the new key')
  },
  'APP-505.b: a new key replaces both keys of an application': async c => {
    const { id, call } = await c.ruled('reveal', ['token:read'])
    const second = c.success(await c.asManagement('POST', `/applications/${id}/keys`), 201).body
    c.success(await c.as(second.key)('GET', '/tokens'), 200, 'the second key before')
    const { key } = c.success(await c.asManagement('POST', `/applications/${id}/regenerate`), 200).body
    c.refused(await call('GET', '/tokens'), 401, 'the first key')
    c.refused(await c.as(second.key)('GET', '/tokens'), 401, 'the second key')
    c.success(await c.as(key)('GET', '/tokens'), 200, 'the new key')
  },
  'APP-512.a: a second key works beside the first, and a third is refused': async c => {
    const { id, call } = await c.ruled('reveal', ['token:read'])
    const add = () => c.asManagement('POST', `/applications/${id}/keys`)
    const { key } = c.success(await add(), 201).body
    const own = c.success(await c.as(key)('GET', '/applications/key'), 200, 'the second key').body
    c.equal(own.id, id, 'its application')
    c.success(await call('GET', '/tokens'), 200, 'the first key')
    c.refused(await add(), 409, 'a third')
  },
  'APP-512.b: keys are added and revoked with application:update and listed with application:read':
    async c => {
      const { id } = await c.application({ permissions: ['token:read'] })
      const path = `/applications/${id}/keys`
      const updating = await c.application({ permissions: ['application:update'] }, 'management')
      const reading = await c.application({ permissions: ['application:read'] }, 'management')
      c.refused(await reading.call('POST', path), 403, 'adding')
      const added = c.success(await updating.call('POST', path), 201, 'adding').body
      c.refused(await updating.call('GET', path), 403, 'listing')
      c.success(await reading.call('GET', path), 200, 'listing')
      c.refused(await reading.call('DELETE', `${path}/${added.id}`), 403, 'revoking')
      const upper = added.id.toUpperCase()
      c.success(
        await updating.call('DELETE', `${path}/${upper}`),
        204,
        'revoking, whatever the case of the id',
      )
      c.refused(await updating.call('DELETE', `${path}/${added.id}`), 404, 'one that is gone')
      c.refused(await updating.call('DELETE', `${path}/a`), 400, 'one without a UUID')
    },
  'APP-513.a: keys are listed without their secrets, the newest first': async c => {
    const made = await c.application({ permissions: ['token:read'] })
    const path = `/applications/${made.id}/keys`
    const second = c.success(await c.asManagement('POST', path), 201).body
    const reply = c.success(await c.asManagement('GET', path), 200)
    const { key, ...shown } = second
    c.equal(reply.body.length, 2, 'the number of keys')
    c.equal(reply.body[0], shown, 'the newest')
    c.equal(shown.last_four, key.slice(-4), 'its last four characters')
    c.ok(
      reply.body[1].created_at < shown.created_at,
      'the older one was created before',
      reply.body[1].created_at,
    )
    c.ok(!reply.text.includes(key.slice(0, -4)), 'the key is not shown', reply.text)
  },
  'APP-514.a: a revoked key fails and the other one works, but the only one cannot be revoked': async c => {
    const { id, call } = await c.ruled('reveal', ['token:read'])
    const path = `/applications/${id}/keys`
    const [first] = await c.get(path)
    c.refused(await c.asManagement('DELETE', `${path}/${first.id}`), 409, 'the only key')
    const second = c.success(await c.asManagement('POST', path), 201).body
    c.success(await call('GET', '/tokens'), 200, 'the first key before')
    c.success(await c.asManagement('DELETE', `${path}/${first.id}`), 204)
    c.refused(await call('GET', '/tokens'), 401, 'the first key')
    c.success(await c.as(second.key)('GET', '/tokens'), 200, 'the second key')
    c.equal((await c.get(path)).length, 1, 'the number of keys')
  },
})
