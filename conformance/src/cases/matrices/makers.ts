import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call } from '../../harness/target.ts'
import type { Cell } from './cell.ts'

const own = async (c: Context, call: Call): Promise<string> => (await c.get('/applications/key', call))?.id

/** Resources with the ids of the applications that created them and changed them last. */
const makers: Readonly<
  Record<
    string,
    { readonly make: (c: Context) => Promise<{ by: unknown; who: string }>; readonly needs: Cell['needs'] }
  >
> = {
  token: {
    needs: [],
    make: async c => ({ by: (await c.token()).created_by, who: await own(c, c.asPrivate) }),
  },
  'updated-token': {
    needs: [],
    async make(c) {
      const { call, id } = await c.ruled('reveal', ['token:update'])
      const token = await c.token()
      return { by: (await c.patch(token.id, { metadata: { a: 'b' } }, call)).modified_by, who: id }
    },
  },
  tokenized: {
    needs: [],
    async make(c) {
      const body = { type: 'token', data: 1, containers: [c.container] }
      const made = c.success(await c.asPrivate('POST', '/tokenize', { made: body }), 200).body?.made
      return { by: made?.created_by, who: await own(c, c.asPrivate) }
    },
  },
  'made-by-formula': {
    needs: ['management'],
    async make(c) {
      const code = `module.exports = async req => ({
        tokenize: { type: 'token', data: 1, containers: [req.args.at] } })`
      const reactor = await c.reactor({ code })
      const { tokens } = c.success(await c.react(reactor, { args: { at: c.container } }), 200).body ?? {}
      return { by: tokens?.created_by, who: await own(c, c.asPrivate) }
    },
  },
  formula: {
    needs: ['management'],
    make: async c => ({ by: (await c.formula()).created_by, who: await own(c, c.asManagement) }),
  },
  'updated-formula': {
    needs: ['management'],
    async make(c) {
      const other = await c.application({ permissions: ['reactor:update'] }, 'management')
      const { id } = await c.formula()
      const next = { name: c.tag, type: 'private', code: '' }
      const put = c.success(await other.call('PUT', `/reactor-formulas/${id}`, next), 200).body
      return { by: put?.modified_by, who: other.id }
    },
  },
  reactor: {
    needs: ['management'],
    make: async c => ({ by: (await c.reactor()).created_by, who: await own(c, c.asManagement) }),
  },
  'updated-reactor': {
    needs: ['management'],
    async make(c) {
      const other = await c.application({ permissions: ['reactor:update'] }, 'management')
      const { id } = await c.reactor()
      c.success(await other.call('PATCH', `/reactors/${id}`, { name: `${c.tag} new` }), 204)
      const read = await c.get(`/reactors/${id}`)
      return { by: read?.modified_by, who: other.id }
    },
  },
  application: {
    needs: ['applications'],
    async make(c) {
      const { id } = await c.application({ permissions: ['token:read'] })
      const read = await c.get(`/applications/${id}`)
      return { by: read?.created_by, who: await own(c, c.asManagement) }
    },
  },
}

const makerCells = Object.entries(makers).map(
  ([name, { make, needs }]): Row => [
    `APP-540.${name}${marked(needs)}: created_by or modified_by names the application that made it: ${name.replaceAll('-', ' ')}`,
    async c => {
      const { by, who } = await make(c)
      c.equal(by, who, 'the application')
    },
  ],
)

/** Ways to change the application of a reactor. */
const moves: Readonly<Record<string, readonly [method: string, status: number]>> = {
  put: ['PUT', 200],
  patch: ['PATCH', 204],
}
const reactorCells = Object.entries(moves).map(
  ([name, [method, status]]): Row => [
    `REA-017.${name}: a ${method} changes the application of a reactor`,
    async c => {
      const rights = { permissions: ['token:read'] }
      const [one, two] = [await c.application(rights), await c.application(rights)]
      const reactor = await c.reactor({}, { application: { id: one.id } })
      const at = `/reactors/${reactor.id}`
      const body = { name: c.tag, configuration: {}, application: { id: two.id } }
      c.success(
        await c.asManagement(method, at, method === 'PUT' ? body : { application: { id: two.id } }),
        status,
      )
      const read = await c.get(at)
      c.equal(read.application?.id, two.id, 'id of the application')
    },
  ],
)
const removalCells = Object.entries(moves).map(
  ([name, [method, status]]): Row => [
    `REA-540.${name}: a ${method} removes the application of a reactor`,
    async c => {
      const { id } = await c.application({ permissions: ['token:read'] })
      const reactor = await c.reactor({}, { application: { id } })
      const at = `/reactors/${reactor.id}`
      const body = method === 'PUT' ? { name: c.tag, configuration: {} } : { application: null }
      c.success(await c.asManagement(method, at, body), status)
      const read = await c.get(at)
      c.equal(read.application ?? undefined, undefined, 'application')
    },
  ],
)

/** Who made and changed what, and which application a reactor has. */
export const makerCases = cases([...makerCells, ...reactorCells, ...removalCells])
