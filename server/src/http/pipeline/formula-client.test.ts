import { readFileSync } from 'node:fs'
import t from 'tap'
import { openReactors, reactorOn } from '../../../verify/support/reactors.ts'
import { openTenant } from '../../../verify/support/vault.ts'
import type { JsonValue } from '../../base/json/json.ts'
import type { Invocation } from '../../sandbox/sandbox.ts'

/** Every operation of the contract, asked for by the client of a formula. */
interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
}

const { paths } = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))
const methods = ['get', 'post', 'put', 'patch', 'delete']
const operations: Operation[] = Object.entries<Record<string, { operationId: string }>>(paths).flatMap(
  ([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
)

const reached = (id: string) => /^tokens\.|^tokenize$|^detokenize$|^reactors\.react$/.test(id)
const nobody = '00000000-0000-4000-8000-000000000000'
const bodies: Record<string, JsonValue> = {
  'sessions.authorize': { nonce: 'none', permissions: ['token:read'] },
  'applications.create': { name: 'A', type: 'private', permissions: ['token:read'] },
}

/** A vault whose formulas send one request of a client and return its answer. */
function openAsking(t: Parameters<typeof openReactors>[0]) {
  const asked: { request?: Operation } = {}
  const sandbox = {
    run: async ({ svc }: Invocation) => {
      const { id = '', method = '', path = '' } = asked.request ?? {}
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const body = ['POST', 'PUT', 'PATCH'].includes(method)
        ? { body: Buffer.from(JSON.stringify(bodies[id] ?? {})) }
        : {}
      const headers = { 'content-type': type }
      const answer = await svc?.({ method, path: path.replaceAll(/{\w+}/g, nobody), headers, ...body })
      return { kind: 'answered', raw: { status: answer?.status ?? 0, text: String(answer?.body) } } as const
    },
    close: async () => {},
  }
  return { vault: openReactors(t, {}, { sandbox }), asked }
}

const everything = {
  permissions: ['create', 'read', 'update', 'delete', 'search', 'use'].map(p => `token:${p}`),
}

t.test('the client of a formula reaches tokens and invocations, and no other operation', async t => {
  t.ok(operations.length > 30)
  const { vault, asked } = openAsking(t)
  const tenant = await openTenant(vault)
  const kinds = { private: everything, public: { permissions: ['token:create', 'token:update'] } }
  for (const [type, rights] of Object.entries(kinds)) {
    const application = await tenant.application(rights, type)
    const react = await reactorOn(tenant, '-', { reactor: { application: { id: application.id } } })
    for (const operation of operations) {
      asked.request = operation
      const { raw } = (await react()).json
      if (reached(operation.id)) {
        t.notMatch(raw.text, /client of a formula/, `${type}: ${operation.id}`)
        if (type === 'private') t.not(raw.status, 403, `${operation.id} is only asked for what it needs`)
        continue
      }
      t.equal(raw.status, 403, `${type}: ${operation.id}`)
      const { detail } = JSON.parse(raw.text)
      t.match(detail, /^the client of a formula cannot call /, operation.id)
      const found = detail.split('it can call ')[1].split(', ').sort()
      t.same(
        found,
        operations
          .map(({ id }) => id)
          .filter(reached)
          .sort(),
      )
    }
  }
})
