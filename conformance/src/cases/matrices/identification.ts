import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call, Reply } from '../../harness/target.ts'
import type { Cell } from './cell.ts'

/** A request on formulas, reactors or sessions that its own key may send. Those on tokens are in `callers.ts`. */
interface Operation {
  readonly needs: NonNullable<Cell['needs']>
  /** True if another tenant can name the resource. */
  readonly isOnOne: boolean
  send(c: Context, call: Call): Promise<Reply>
}

const formula = (c: Context) => ({
  name: c.tag,
  type: 'private',
  code: 'module.exports = async req => ({ raw: req.args })',
  configuration: [],
  request_parameters: [],
})
const reactor = async (c: Context, more: object = {}) => ({ name: c.tag, configuration: {}, ...more })
const management = ['management'] as const

const operations: Readonly<Record<string, Operation>> = {
  'create-formula': {
    needs: management,
    isOnOne: false,
    send: (c, call) => call('POST', '/reactor-formulas', formula(c)),
  },
  'list-formulas': {
    needs: management,
    isOnOne: false,
    send: (_c, call) => call('GET', '/reactor-formulas'),
  },
  'get-formula': {
    needs: management,
    isOnOne: true,
    send: async (c, call) => call('GET', `/reactor-formulas/${(await c.formula()).id}`),
  },
  'update-formula': {
    needs: management,
    isOnOne: true,
    send: async (c, call) => call('PUT', `/reactor-formulas/${(await c.formula()).id}`, formula(c)),
  },
  'delete-formula': {
    needs: management,
    isOnOne: true,
    send: async (c, call) => call('DELETE', `/reactor-formulas/${(await c.formula()).id}`),
  },
  'create-reactor': {
    needs: management,
    isOnOne: true,
    send: async (c, call) =>
      call('POST', '/reactors', await reactor(c, { formula: { id: (await c.formula()).id } })),
  },
  'list-reactors': { needs: management, isOnOne: false, send: (_c, call) => call('GET', '/reactors') },
  'get-reactor': {
    needs: management,
    isOnOne: true,
    send: async (c, call) => call('GET', `/reactors/${(await c.reactor()).id}`),
  },
  'update-reactor': {
    needs: management,
    isOnOne: true,
    send: async (c, call) => call('PUT', `/reactors/${(await c.reactor()).id}`, await reactor(c)),
  },
  'patch-reactor': {
    needs: management,
    isOnOne: true,
    send: async (c, call) => call('PATCH', `/reactors/${(await c.reactor()).id}`, { name: 'new' }),
  },
  'delete-reactor': {
    needs: management,
    isOnOne: true,
    send: async (c, call) => call('DELETE', `/reactors/${(await c.reactor()).id}`),
  },
  react: {
    needs: management,
    isOnOne: true,
    send: async (c, call) => c.react(await c.reactor(), { args: {} }, call),
  },
  'create-session': { needs: ['public'], isOnOne: false, send: (_c, call) => call('POST', '/sessions') },
  authorize: {
    needs: ['public'],
    isOnOne: true,
    send: async (c, call) =>
      call('POST', '/sessions/authorize', { nonce: (await c.session()).nonce, permissions: ['token:read'] }),
  },
}

/** Keys that a request of this tenant does not accept, and the own key as the control. */
const strangers: Readonly<
  Record<
    string,
    {
      status: number
      needs: NonNullable<Cell['needs']>
      call(c: Context, name: string): Call
      isOnOne?: true
    }
  >
> = {
  none: {
    status: 401,
    needs: [],
    call: c => (method, path, body) => c.as(undefined)(method, path, body, { plain: true }),
  },
  unknown: { status: 401, needs: [], call: c => c.as(`key_mgt_${c.tag}`) },
  foreign: {
    status: 404,
    needs: ['second-tenant', 'second-management'],
    isOnOne: true,
    call: (c, name) => (['react', 'authorize'].includes(name) ? c.asOther : c.asOtherManagement),
  },
}
const own = (c: Context, name: string) =>
  name === 'create-session'
    ? c.asPublic
    : ['react', 'authorize'].includes(name)
      ? c.asPrivate
      : c.asManagement

/** The requirement that keeps other tenants from a resource. */
const ownership = (name: string) =>
  name === 'authorize' ? 'SES-017' : /formula|create-reactor/.test(name) ? 'FOR-017' : 'AUT-012'

/** What an unknown formula is to a new reactor is a question of validation. */
const foreignStatus: Readonly<Record<string, number>> = { 'create-reactor': 400 }

/** Every operation needs a key that is known, of the tenant that owns what it names. */
export const identificationCases = cases(
  Object.entries(strangers).flatMap(([who, { status, needs, call, isOnOne }]) =>
    Object.entries(operations)
      .filter(([, operation]) => !isOnOne || operation.isOnOne)
      .map(
        ([name, operation]): Row => [
          `${who === 'foreign' ? ownership(name) : 'AUT-001'}.${who}-${name}${marked([...operation.needs, ...needs])}: refused with ${who === 'none' ? 'no key' : who === 'unknown' ? 'an unknown key' : 'the key of another tenant'}: ${name.replaceAll('-', ' ')}`,
          async c => {
            const reply = await operation.send(c, call(c, name))
            c.refused(reply, who === 'foreign' ? (foreignStatus[name] ?? status) : status, name)
            c.success(await operation.send(c, own(c, name)), undefined, 'the control')
          },
        ],
      ),
  ),
)
