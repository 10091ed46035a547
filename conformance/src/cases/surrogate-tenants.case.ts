import { cases } from '../harness/case.ts'
import { nothing } from './values.ts'

const own = '/tenants/self'

/** The tenant of a key, and the permissions that its applications may hold. */
export const tenantCases = cases({
  // One case: others at the same time would see the names that this one gives.
  'APP-541.a: a tenant gets the name that is given to it, once, with an entry in the log, by what may change applications':
    async c => {
      const before = await c.get(own)
      const renamer = await c.application({ permissions: ['application:update'] }, 'management')
      const reader = await c.application({ permissions: ['application:read'] }, 'management')
      const rename = (name: unknown, call = renamer.call, key?: string) => {
        const options = key === undefined ? {} : c.keyed(key)
        return call('PUT', own, { name, id: nothing }, { ...options, plain: true })
      }
      try {
        const renamed = c.success(await rename(c.tag), 200).body
        c.equal(
          [renamed.name, renamed.id, renamed.created_at],
          [c.tag, before.id, before.created_at],
          'the renamed tenant',
        )
        c.ok(typeof renamed.created_at === 'string', 'it shows when it was created', renamed.created_at)
        c.ok(
          renamed.modified_at >= (before.modified_at ?? before.created_at),
          'it shows when it was changed',
          renamed.modified_at,
        )
        c.refused(await rename('Taken over', reader.call), 403, 'without application:update')
        await c.refuses<unknown>(400, rename, 'n'.repeat(200), {
          '201 characters': 'n'.repeat(201),
          'no character': '',
          'no name': undefined,
        })
        const last = c.success(await rename('n'), 200, 'one character').body
        const read = await c.get(own)
        c.equal([read.name, read.id], ['n', before.id], 'name and id afterwards')
        c.equal(read, last, 'all members, as in the response to the update')
        c.ok(read.modified_at >= renamed.modified_at, 'it shows when it was changed last', read.modified_at)

        c.success(await rename('first', undefined, 'k'), 200, 'a key of one character')
        c.success(await rename('second', undefined, 'k'.repeat(255)), 200, 'a key of 255')
        c.success(await rename('first', undefined, 'k'), 200, 'the first again')
        const after = await c.get(own)
        c.equal(after.name, 'second', 'name after a repeated request')
        c.refused(await rename('third', undefined, 'k'), 422, 'another name under a used key')
        c.refused(await rename('third', undefined, 'k'.repeat(256)), 400, 'a key of 256 characters')
        c.refused(await rename('third', undefined, 'é'), 400, 'a key that is not ASCII')
      } finally {
        await rename(before.name)
      }
      const entry = await c.eventually(
        async () =>
          c
            .success(await c.asManagement('GET', '/logs?entity_type=tenant&size=100'), 200)
            .body.data.find((one: { actor_id?: string }) => one.actor_id === renamer.id),
        'an entry in the log',
      )
      c.equal(
        [entry.operation, entry.entity_id, entry.outcome],
        ['tenant:update', before.id, 'success'],
        'the entry',
      )
    },
  'APP-542.a: private and management keys read their tenant, public keys do not': async c => {
    const { tenant_id } = await c.token()
    const reader = await c.application({ permissions: ['token:read'] })
    for (const call of [c.asPrivate, c.asManagement, reader.call]) {
      const { id, name } = await c.get(own, call)
      c.equal([id, typeof name], [tenant_id, 'string'], 'id and name')
    }
    c.refused(await c.asPublic('GET', own), 403, 'a public key')
  },
  'APP-542.session: a session does not read the tenant': async c => {
    const { call } = await c.authorized({ permissions: ['token:read'] })
    c.refused(await call('GET', own), 403, 'a session')
    c.success(await c.asPrivate('GET', own), 200, 'the control')
  },
  'APP-543.a: every key lists the permissions, with the types of application that may hold each': async c => {
    const list = await c.get('/permissions', c.asPrivate)
    for (const call of [c.asPublic, c.asManagement])
      c.equal(await c.get('/permissions', call), list, 'the list for another key')
    const held = Object.fromEntries(
      list.map((one: { type: string; application_types: string[] }) => [one.type, one.application_types]),
    )
    c.equal(held['token:update']?.toSorted(), ['private', 'public'], 'who may hold token:update')
    c.equal(held['token:read'], ['private'], 'who may hold token:read')
    c.equal(held['application:read'], ['management'], 'who may hold application:read')
    for (const [permission, types] of Object.entries<readonly string[]>(held)) {
      for (const type of ['public', 'private', 'management']) {
        const body = { name: c.tag, type, permissions: [permission] }
        const { status } = await c.asManagement('POST', '/applications', body)
        c.equal(status, types.includes(type) ? 201 : 400, `${permission} for ${type}`)
      }
    }
  },
})
