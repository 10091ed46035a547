import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { nothing } from './values.ts'

const own = '/tenants/self'

/** The key of a tenant that no other case renames to another name at the same time. */
const elsewhere = (c: Context) => (c.has('second-tenant') ? c.asOtherManagement : c.asManagement)

/** The tenant of a key, and the permissions that its applications may hold. */
export const tenantCases = cases({
  'APP-541.a': [
    'a tenant gets the name that is given to it, and only what may change applications gives it one',
    async c => {
      const before = c.success(await c.asManagement('GET', own), 200).body
      const renamer = await c.application({ permissions: ['application:update'] }, 'management')
      const reader = await c.application({ permissions: ['application:read'] }, 'management')
      const rename = (name: unknown, call = renamer.call) => call('PUT', own, { name, id: nothing })
      try {
        const renamed = await rename(c.tag)
        c.equal(
          [renamed.status, renamed.body?.name, renamed.body?.id],
          [200, c.tag, before.id],
          'the renamed tenant',
        )
        c.refused(await rename('Taken over', reader.call), 403, 'without application:update')
        await c.refuses<unknown>(400, rename, 'n'.repeat(200), {
          '201 characters': 'n'.repeat(201),
          'no character': '',
          'no name': undefined,
        })
        const last = c.success(await rename('n'), 200, 'one character').body
        const read = c.success(await c.asManagement('GET', own), 200).body
        c.equal([read.name, read.id], ['n', before.id], 'name and id afterwards')
        c.equal(read, last, 'all members, as in the response to the update')
        c.ok(read.created_at < read.modified_at, 'it was modified after its creation')
      } finally {
        await rename(before.name)
      }
    },
  ],
  'APP-541.b': [
    'a tenant that is renamed again under the same idempotency key is not renamed',
    async c => {
      const manage = elsewhere(c)
      const before = c.success(await manage('GET', own), 200).body
      const headers = { [`${c.target.headerPrefix}-IDEMPOTENCY-KEY`]: c.tag }
      const rename = (name: string) => manage('PUT', own, { name }, { headers })
      c.success(await rename(before.name), 200)
      c.success(await rename(before.name), 200, 'the same again')
      c.refused(await rename(c.tag), 422, 'another name')
    },
  ],
  'APP-541.c': [
    'renaming a tenant leaves an entry in the log',
    async c => {
      const manage = elsewhere(c)
      const { name, id } = c.success(await manage('GET', own), 200).body
      const rights = { name: c.tag, type: 'management', permissions: ['application:update'] }
      const by = c.success(await manage('POST', '/applications', rights), 201).body
      c.success(await c.as(by.key)('PUT', own, { name }), 200)
      const entry = await c.eventually(
        async () =>
          c
            .success(await manage('GET', '/logs?entity_type=tenant&size=100'), 200)
            .body.data.find((one: { actor_id?: string }) => one.actor_id === by.id),
        'an entry',
      )
      c.equal(
        [entry.operation, entry.entity_id, entry.outcome],
        ['tenant:update', id, 'success'],
        'the entry',
      )
    },
  ],
  'APP-542.a': [
    'private and management keys read their tenant, public keys and sessions do not',
    async c => {
      const { tenant_id } = await c.token()
      const reader = await c.application({ permissions: ['token:read'] })
      for (const call of [c.asPrivate, c.asManagement, reader.call]) {
        const { id, name } = c.success(await call('GET', own), 200).body
        c.equal([id, typeof name], [tenant_id, 'string'], 'id and name')
      }
      const { call } = await c.authorized({ permissions: ['token:read'] })
      c.refused(await c.asPublic('GET', own), 403, 'a public key')
      c.refused(await call('GET', own), 403, 'a session')
    },
  ],
  'APP-543.a': [
    'every key lists the permissions, with the types of application that may hold each',
    async c => {
      const list = c.success(await c.asPrivate('GET', '/permissions'), 200).body
      for (const call of [c.asPublic, c.asManagement])
        c.equal(c.success(await call('GET', '/permissions'), 200).body, list, 'the list for another key')
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
  ],
})
