import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { nothing } from '../values.ts'
import type { Cell } from './cell.ts'
import { plain, type Refusal, send } from './undone.ts'

type Body = Record<string, unknown>

/** A resource that management applications make and change. */
interface Managed {
  readonly needs: Cell['needs']
  readonly path: string
  /** A valid resource with this name. */
  body(c: Context, name: string): Promise<Body>
  /** The changes of a valid update. */
  readonly change: Body
  /** What makes a create and an update invalid. */
  readonly wrong: Body
  /** What is found out late, when the rest of it was looked at. */
  readonly late: Body
  readonly methods: readonly ('PUT' | 'PATCH')[]
  /** The requirements of core that say that an invalid update changes nothing. None if core does not have the resource. */
  readonly core?: Readonly<Partial<Record<'PUT' | 'PATCH', string>>>
}

const parameter = { name: 'twice', type: 'string' }
const rule = { priority: 1, container: '/one/', transform: 'mask', permissions: ['token:read'] }

const managed: Readonly<Record<string, Managed>> = {
  formula: {
    needs: ['management'],
    path: '/reactor-formulas',
    body: async (_c, name) => ({
      name,
      type: 'private',
      code: 'module.exports = () => ({ raw: 1 })',
      configuration: [],
      request_parameters: [],
    }),
    change: { name: 'changed', code: 'module.exports = () => ({ raw: 2 })' },
    wrong: { type: 'other' },
    late: { request_parameters: [parameter, parameter] },
    methods: ['PUT'],
    core: { PUT: 'FOR-014' },
  },
  reactor: {
    needs: ['management'],
    path: '/reactors',
    body: async (c, name) => ({
      name,
      formula: { id: (await c.formula()).id },
      configuration: {},
    }),
    change: { name: 'changed', configuration: {} },
    wrong: { configuration: { undeclared: 1 } },
    late: { application: { id: nothing } },
    methods: ['PUT', 'PATCH'],
    core: { PUT: 'REA-016', PATCH: 'REA-014' },
  },
  application: {
    needs: ['applications'],
    path: '/applications',
    body: async (c, name) => ({
      name,
      type: 'private',
      rules: [{ priority: 1, container: c.container, transform: 'mask', permissions: ['token:read'] }],
    }),
    change: { name: 'changed', permissions: ['token:create'] },
    wrong: { permissions: ['token:none'] },
    late: { rules: [rule, { ...rule, container: '/other/' }] },
    methods: ['PUT'],
  },
}

const refusals: Readonly<Record<string, Refusal & { readonly core?: string }>> = {
  invalid: { status: 400, title: 'invalid' },
  late: { status: 400, title: 'invalid in what is looked at last' },
  'other-type': { status: 415, title: 'in another content type', options: plain('text/plain') },
  'too-large': {
    status: 413,
    title: 'too large',
    members: () => ({ name: 'x'.repeat(1100 * 1024) }),
    isLarge: true,
  },
  unknown: {
    status: 401,
    title: 'with an unknown key',
    core: 'AUT-001',
    call: async c => c.as(`key_mgt_${c.tag}`),
  },
  'of-a-private-application': {
    status: 403,
    title: 'of a private application',
    call: async c =>
      (await c.shared('only uses tokens', s => s.application({ permissions: ['token:use'] }))).call,
    needs: ['applications'],
  },
}

const updateCells = Object.entries(managed).flatMap(
  ([kind, { needs, path, body, change, wrong, late, methods, core }]) =>
    methods.flatMap(method =>
      Object.entries(refusals).map(([name, refusal]): Row => {
        const merging = name === 'other-type' && method === 'PATCH'
        const byCore = name === 'invalid' ? core?.[method] : merging ? 'REA-011' : core && refusal.core
        const { core: _, ...ofRefusal } = refusal
        return [
          `${byCore ?? 'WIR-545'}.${kind}-${method === 'PUT' ? '' : 'patch-'}${name}-undone${marked([...(needs ?? []), ...(refusal.needs ?? [])])}: a refused ${method} of a ${kind} leaves each member as it was: one ${refusal.title}`,
          async c => {
            const made = c.success(await c.asManagement('POST', path, await body(c, c.tag)), 201).body
            const own = `${path}/${made.id}`
            const read = async () => await c.get(own)
            const before = await read()
            const valid = method === 'PUT' ? { ...before, ...change } : change
            const call = (await refusal.call?.(c)) ?? c.asManagement
            const sent = {
              ...valid,
              ...(name === 'invalid' ? wrong : name === 'late' ? late : {}),
              ...refusal.members?.(c, ''),
            }
            const reply = await send(ofRefusal, c, options => call(method, own, sent, options))
            if (merging) c.status(reply, 415)
            else c.refused(reply, refusal.status, refusal.title)
            c.equal(await read(), before, `the ${kind}`)
            c.success(await c.asManagement(method, own, valid), method === 'PUT' ? 200 : 204, 'the control')
          },
        ]
      }),
    ),
)

/** Returns how many resources have a name. Applications cannot be filtered by it. */
async function numberNamed(c: Context, path: string, name: string): Promise<number> {
  let found = 0
  for (let page = 1; ; page++) {
    const query = path === '/applications' ? '' : `&name=${name}`
    const list = await c.get(`${path}?size=100&page=${page}${query}`)
    found += list.data.filter((one: Body) => one.name === name).length
    if (list.data.length < 100) return found
  }
}

const createCells = Object.entries(managed).flatMap(
  ([kind, { needs, path, body, wrong, late, core: ofCore }]) =>
    Object.entries(refusals).map(
      ([name, { core, ...refusal }]): Row => [
        `${(ofCore && core) ?? 'WIR-545'}.create-${kind}-${name}-undone${marked([...(needs ?? []), ...(refusal.needs ?? [])])}: a refused create of a ${kind} makes none: one ${refusal.title}`,
        async c => {
          const named = `${c.tag}made`
          const valid = await body(c, named)
          const call = (await refusal.call?.(c)) ?? c.asManagement
          // The member that makes it too large is another one: what it would make has this name.
          const large = refusal.isLarge ? { description: 'x'.repeat(1100 * 1024) } : {}
          const sent = {
            ...valid,
            ...(name === 'late' ? late : refusal.status === 400 ? wrong : {}),
            ...large,
          }
          const reply = await send(refusal, c, options => call('POST', path, sent, options))
          c.refused(reply, refusal.status, refusal.title)
          c.equal(await numberNamed(c, path, named), 0, `the number of ${kind}s with its name`)
          c.success(await c.asManagement('POST', path, valid), 201, 'the control')
          c.equal(await numberNamed(c, path, named), 1, 'the number after the control')
        },
      ],
    ),
)

/** What was refused of resources that management applications change has no effect. */
export const undoneManagedCases = cases([...updateCells, ...createCells])
