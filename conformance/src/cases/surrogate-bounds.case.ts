import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { times } from './values.ts'

const [mostLevels, longest] = [16, 250]

/** Returns a container with this number of levels below the case's own. */
function deep(c: Context, levels: number): string {
  const own = c.container.split('/').length - 2
  return c.container + 'a/'.repeat(levels - own)
}

/** Returns a container with this number of characters below the case's own. */
function long(c: Context, length: number): string {
  return `${c.container}${'a'.repeat(length - c.container.length - 1)}/`
}

const rule = (members: object = {}) => ({
  priority: 1,
  container: '/a/',
  transform: 'mask',
  permissions: ['token:read'],
  ...members,
})
const rules = (count: number) => times(count, index => rule({ priority: index + 1 }))
const on = (operator: string, value: string) =>
  rule({ container: undefined, conditions: [{ attribute: 'container', operator, value }] })
const meeting = (count: number) =>
  rule({
    container: undefined,
    conditions: times(count, () => ({ attribute: 'id', operator: 'equals', value: 'some-id' })),
  })
const reading = (count: number) => times(count, () => 'token:read')

/** Checks limits of rules and permissions; WIR-540 and SES-543 check those of other operations. */
const refusesEach = (
  c: Context,
  bounds: Readonly<Record<string, readonly [accepted: object, refused: object]>>,
) =>
  Promise.all(
    Object.entries(bounds).map(([what, [accepted, refused]]) =>
      c.refuses(
        400,
        rights => c.asManagement('POST', '/applications', { name: c.tag, type: 'private', ...rights }),
        accepted,
        { [what]: refused },
      ),
    ),
  )

/** Limits of length, depth and number. */
export const boundCases = cases({
  'ACC-531.a: a container of 251 characters or 17 levels is refused in a create and in an update':
    async c => {
      const create = (container: string) =>
        c.asPrivate('POST', '/tokens', { type: 'token', data: 1, containers: [container] })
      const { id } = await c.token()
      const move = (container: string) => c.asPrivate('PATCH', `/tokens/${id}`, { containers: [container] })
      for (const send of [create, move]) {
        await c.refuses(400, send, long(c, longest), { '251 characters': long(c, longest + 1) })
        await c.refuses(400, send, deep(c, mostLevels), { '17 levels': deep(c, mostLevels + 1) })
      }
      c.equal((await c.read(id)).containers, [deep(c, mostLevels)], 'containers')
    },
  'ACC-532.a: a rule on a container of 251 characters or 17 levels is refused': async c => {
    const rightsOn = (make: (container: string) => object) =>
      ({
        '251 characters': [{ rules: [make(long(c, longest))] }, { rules: [make(long(c, longest + 1))] }],
        '17 levels': [{ rules: [make(deep(c, mostLevels))] }, { rules: [make(deep(c, mostLevels + 1))] }],
      }) as const
    await refusesEach(
      c,
      rightsOn(container => rule({ container })),
    )
    for (const operator of ['equals', 'starts_with'])
      await refusesEach(
        c,
        rightsOn(container => on(operator, container)),
      )
  },
  'ACC-532.b: a rule on a container of 16 levels covers it': async c => {
    const container = deep(c, mostLevels)
    const { id } = await c.token({ containers: [container], mask: 'X' })
    const { call } = await c.application({ rules: [rule({ container })] })
    c.equal((await c.read(id, call)).data, 'X', 'data')
    c.equal(c.ids(await c.get('/tokens', call)), [id], 'what it lists')
  },
  'ACC-533.a: 101 rules, 21 permissions and 11 conditions are refused': async c => {
    await refusesEach(c, {
      '101 rules': [{ rules: rules(100) }, { rules: rules(101) }],
      '21 permissions': [{ permissions: reading(20) }, { permissions: reading(21) }],
      '21 permissions of a rule': [
        { rules: [rule({ permissions: reading(20) })] },
        { rules: [rule({ permissions: reading(21) })] },
      ],
      '11 conditions': [{ rules: [meeting(10)] }, { rules: [meeting(11)] }],
    })
  },
  'ACC-534.b [applications]: a list leaves out a token of which one container is not covered, however many it has':
    async c => {
      const at = (path: string) => `${c.container}${path}/`
      const { call } = await c.application({
        rules: [rule({ container: at('a') }), rule({ priority: 2, container: at('b') })],
      })
      const covered = []
      for (let count = 1; count <= 6; count++) {
        const paths = times(count, number => at(`${number % 2 ? 'b' : 'a'}/${number}`))
        covered.push((await c.token({ containers: paths })).id)
        await c.token({ containers: [...paths, at('z')] })
      }
      const { data, pagination } = await c.get('/tokens?size=100', call)
      c.equal(c.ids({ data }).sort(), covered.sort(), 'the tokens')
      c.equal(pagination.total_items, covered.length, 'their number')
    },
  'ACC-534.a: a list contains and counts exactly the tokens in several containers that rules cover together':
    async c => {
      const at = (path: string) => `${c.container}${path}/`
      const add = async (...paths: string[]): Promise<string> =>
        (await c.token({ containers: paths.map(at) })).id
      const [both, deeper, three] = [await add('a', 'b'), await add('A/x', 'b/y'), await add('a', 'b', 'c')]
      const [half, named] = [await add('a', 'd'), await add('b', 'e')]
      await add('d', 'e')
      const moved = await add('a', 'b')
      const rights = [
        rule({ container: at('a') }),
        rule({ priority: 2, container: at('b') }),
        rule({
          priority: 3,
          container: undefined,
          conditions: [
            { attribute: 'id', operator: 'equals', value: named },
            { attribute: 'container', operator: 'equals', value: at('E') },
          ],
        }),
      ]
      const listed = async (more: object[] = []) => {
        const { call } = await c.application({ rules: [...rights, ...more] })
        const { data, pagination } = await c.get('/tokens?size=100', call)
        c.equal(pagination?.total_items, data.length, 'total_items')
        return c.ids({ data }).sort()
      }
      c.equal(await listed(), [both, deeper, named, moved].sort(), 'what two rules and a condition cover')
      const c4 = rule({ priority: 4, container: at('c') })
      c.equal(await listed([c4]), [both, deeper, three, named, moved].sort(), 'with a third container')
      await c.patch(moved, { containers: [at('a'), at('d')] })
      c.equal(await listed(), [both, deeper, named].sort(), 'after one was moved')
      c.success(await c.asPrivate('DELETE', `/tokens/${both}`), 204)
      c.equal(await listed(), [deeper, named].sort(), 'after one was deleted')
      c.equal(
        await listed([rule({ priority: 5, container: at('d') })]),
        [deeper, half, named, moved].sort(),
        'with another rule',
      )
    },
  'SEA-531.a: in a container term a star after a name is a star after its slash': async c => {
    const at = async (path: string) => (await c.token({ containers: [`${c.container}${path}`] })).id as string
    const [one, below, neighbour] = [await at('a/'), await at('a/b/'), await at('ab/')]
    const find = async (query: string) =>
      c.ids(c.success(await c.asPrivate('POST', '/tokens/search', { query }), 200).body).sort()
    c.equal(await find(`container:"${c.container}a*"`), [one, below].sort(), 'in quotes')
    c.equal(await find(`container:${c.container}a*`), [one, below].sort(), 'without')
    c.equal(await find(`container:"${c.container}ab*"`), [neighbour], 'its neighbour')
    c.equal(await find(`container:${c.container}a/`), [one], 'without a star and quotes')
  },
  'SEA-532.a: a query with a container of 251 characters or 17 levels is refused': async c => {
    const send = (container: string) =>
      c.asPrivate('POST', '/tokens/search', { query: `container:"${container}"` })
    await c.refuses(400, send, long(c, longest), { '251 characters': long(c, longest + 1) })
    await c.refuses(400, send, deep(c, mostLevels), { '17 levels': deep(c, mostLevels + 1) })
    await c.refuses(400, send, `${deep(c, mostLevels)}*`, {
      '17 levels with a star': `${deep(c, mostLevels + 1)}*`,
    })
    const { id } = await c.token({ containers: [deep(c, mostLevels)] })
    c.equal(await c.found(`container:"${deep(c, mostLevels)}"`), [id], 'what it finds')
  },
})
