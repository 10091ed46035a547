import type { Capability } from '../../capabilities.ts'
import { cases } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { isOfEveryServer } from '../../harness/contract.ts'
import { document } from '../../harness/document.ts'
import type { Call, Reply, SendOptions } from '../../harness/target.ts'
import { allTokenPermissions, nothing } from '../values.ts'
import { type Cell, matrix } from './cell.ts'
import { resourceSubjects } from './resource-bounds.ts'
import { limitCell } from './subject.ts'
import { tokenSubjects } from './token-bounds.ts'

const subjects = [...tokenSubjects, ...resourceSubjects]

/** Keys of applications that no other case uses, so that short idempotency keys are free. */
const freshCallers = {
  private: (c: Context) =>
    c.shared('keyed private', s => s.application({ permissions: allTokenPermissions })),
  public: (c: Context) =>
    c.shared('keyed public', s => s.application({ permissions: ['token:create'] }, 'public')),
  management: (c: Context) =>
    c.shared('keyed management', s =>
      s.application(
        {
          permissions: [
            ...['create', 'read', 'update', 'delete'].flatMap(verb => [
              `reactor:${verb}`,
              `application:${verb}`,
            ]),
          ],
        },
        'management',
      ),
    ),
}

interface Keyed {
  readonly name: string
  readonly by: keyof typeof freshCallers
  readonly needs: readonly Capability[]
  send(c: Context, call: Call, options: SendOptions): Promise<Reply>
}

const keyed: readonly Keyed[] = [
  ...subjects
    .filter(
      ({ name, operation, requirement }) =>
        operation !== 'tokens.search' &&
        requirement !== 'TYP-540' &&
        (operation !== 'tokens.create' || name.endsWith('-token')),
    )
    .map(
      (one): Keyed => ({
        name: one.name,
        by: one.requirement === 'WIR-540' ? 'management' : 'private',
        needs: [...one.needs, 'applications'],
        send: async (c, call, options) => {
          const { mask, fingerprint_expression, search_indexes, rules, ...body } = await one.body(c)
          return one.send(c, body, call, options)
        },
      }),
    ),
  {
    name: 'create-session',
    by: 'public',
    needs: ['public', 'applications'],
    send: (_c, call, options) => call('POST', '/sessions', undefined, options),
  },
  {
    name: 'regenerate-key',
    by: 'management',
    needs: ['management', 'applications'],
    send: async (c, call, options) => {
      const { id } = await c.application({ permissions: ['token:read'] })
      return call('POST', `/applications/${id}/regenerate`, undefined, options)
    },
  },
  {
    name: 'add-key',
    by: 'management',
    needs: ['management', 'applications'],
    send: async (c, call, options) => {
      const { id } = await c.application({ permissions: ['token:read'] })
      return call('POST', `/applications/${id}/keys`, undefined, options)
    },
  },
]

/** Accepts and refuses idempotency keys by their length and characters. */
async function expectKeyLimits(
  c: Context,
  shortest: string,
  send: (options: SendOptions) => Promise<Reply>,
): Promise<void> {
  // Sent as they are: no client sends such a key.
  const ask = (text: string) => send({ plain: true, ...c.keyed(text) })
  c.success(await ask(shortest), undefined, '1 character')
  c.success(await ask(c.tag.padEnd(255, 'x')), undefined, '255 characters')
  c.refused(await ask(c.tag.padEnd(256, 'x')), 400, '256 characters')
  c.refused(await ask(`${c.tag}é`), 400, 'a letter that is not ASCII')
  c.refused(await ask(''), 400, 'no character')
}

/** Another tenant than that which a case renames at the same time. */
const tenantKeyCell = cases({
  'IDE-540.put-tenant [second-tenant]: an idempotency key has 1 to 255 printable characters: put-tenant':
    async c => {
      const path = '/tenants/self'
      const { name } = await c.get(path, c.asOtherManagement)
      await expectKeyLimits(c, '~', options => c.asOtherManagement('PUT', path, { name }, options))
    },
})

const keyCells = keyed.map(
  ({ name, by, needs, send }, index): Cell => ({
    requirement: 'IDE-540',
    name,
    title: `an idempotency key has 1 to 255 printable characters: ${name}`,
    needs,
    async run(c) {
      const { key } = await freshCallers[by](c)
      await expectKeyLimits(c, String.fromCharCode(65 + index), options => send(c, c.as(key), options))
    },
  }),
)

/** Values of query parameters, without those that only pages of our own have. */
const queries: Readonly<Record<string, unknown>> = {
  id: [nothing],
  type: ['token'],
  metadata: { k: 'v' },
  page: 1,
  size: 20,
  entity_type: 'token',
  entity_id: 'some-id',
  requested_by: nothing,
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
}
interface ListSpec extends Record<string, unknown> {
  readonly operationId: string
  readonly 'x-application-types': readonly string[]
}
const lists = Object.entries(document.paths).flatMap(([path, { get }]) => {
  const spec = get as ListSpec | undefined
  if (!spec?.operationId.endsWith('.list') || !isOfEveryServer(spec)) return []
  return [{ path, id: spec.operationId, isManaged: spec['x-application-types'].includes('management') }]
})
const queryOf = (name: string, value: unknown) =>
  Object.entries((Array.isArray(value) || typeof value === 'object' ? value : [value]) as object)
    .map(
      ([key, one]) =>
        `${name}${Array.isArray(value) || typeof value !== 'object' ? '' : `.${encodeURIComponent(key)}`}=${encodeURIComponent(String(one))}`,
    )
    .join('&')

const listCells = lists.map(
  ({ path, id, isManaged }): Cell => ({
    requirement: 'PAG-541',
    name: id.replace('.list', '').toLowerCase(),
    title: `the parameters of ${path} are accepted at their limits, and refused beyond`,
    needs: [
      ...(isManaged ? (['management'] as const) : []),
      ...(id === 'applications.list' ? (['applications'] as const) : []),
    ],
    async run(c) {
      const { query = {} } = c.contract.operations.find(one => one.id === id) ?? {}
      const call = isManaged ? c.asManagement : c.asPrivate
      for (const [name, schema] of Object.entries(query)) {
        const value = queries[name]
        if (value === undefined) continue
        const ask = (given: unknown) => call('GET', `${path}?${queryOf(name, given)}`)
        for (const end of ['most', 'least'] as const)
          c.success(await ask(c.contract.limits.at(schema, value, end)), 200, `${name} with the ${end}`)
        for (const { what, value: broken } of c.contract.limits.beyond(schema, value))
          c.refused(await ask(broken), 400, `${name} ${what}`)
      }
    },
  }),
)

/** Each limit of length and number, at the limit and one beyond it, by each operation and type. */
export const limitCases = matrix([...subjects.map(limitCell), ...keyCells, ...tenantKeyCell, ...listCells])
