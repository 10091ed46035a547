import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { tokenTypes } from '../../harness/token-types.ts'
import { allTokenPermissions, card, rule, ssn } from '../values.ts'
import {
  callerNeeds,
  callerUnder,
  expectData,
  expectGone,
  type Transform,
  tokenOf,
  type Way,
  ways,
} from './ways.ts'

interface Shown {
  readonly data: unknown
  readonly masked?: unknown
}

/** Data by type, and what the mask of the type makes of it. */
const types: Readonly<Record<string, Shown>> = Object.fromEntries(
  tokenTypes.map(({ type, examples: [example] }) => [type, example]),
)

/** Masks that the creator chose, as the specification allows for each type. */
const chosen: typeof types = {
  token: { data: { a: 'value', n: 1 }, masked: { a: 'alue' } },
  card: { data: card, masked: { number: 'hidden' } },
  social_security_number: { data: ssn, masked: 'hidden' },
}
const masks: Readonly<Record<string, unknown>> = {
  token: { a: "{{ data.a | remove: 'v' }}" },
  card: { number: 'hidden' },
  social_security_number: 'hidden',
}

const transforms: readonly Transform[] = ['reveal', 'mask', 'redact']

const shownUnder = (transform: Transform, way: Way, { data, masked }: Shown) =>
  way.isRaw || transform === 'reveal' ? data : transform === 'mask' ? masked : undefined

function cell(requirement: string, way: Way, transform: Transform, type: string, own: boolean): Row {
  const values = (own ? chosen : types)[type] ?? { data: 1, masked: 1 }
  return [
    `${requirement}.${way.name}-${transform}-${type}${marked([...way.needs, ...callerNeeds[transform]])}: ${type} under ${transform}${own ? ' with a mask of its own' : ''}: ${way.title}`,
    async c => {
      const members = { type, data: values.data, ...(own ? { mask: masks[type] } : {}) }
      const token = await c.shared(`${own ? 'chosen' : 'usual'} ${type}`, s => tokenOf(s, members))
      await expectData(c, way, await callerUnder(c, transform), token, shownUnder(transform, way, values))
    },
  ]
}

/** Reads in the core profile: the transform of the caller's access controls decides what data they show. */
const coreCells = ways
  .filter(way => way.isCore && way.name !== 'patch' && !way.isRaw)
  .flatMap(way =>
    transforms.flatMap(transform =>
      Object.keys(chosen).map(type => cell('AUT-014', way, transform, type, true)),
    ),
  )

const rawCells = ways
  .filter(way => way.name === 'react')
  .flatMap(way => transforms.map(transform => cell('INV-028', way, transform, 'card', true)))

const surrogateCells = ways
  .filter(way => !way.isRaw)
  .flatMap(way =>
    transforms.flatMap(transform =>
      Object.keys(types).map(type => cell('ACC-540', way, transform, type, false)),
    ),
  )

/** Responses to creates of any kind, which show at most the mask. */
const creates: Readonly<
  Record<string, (c: Context, body: object) => Promise<{ readonly type?: unknown; readonly data?: unknown }>>
> = {
  create: (c, body) => c.token(body as Record<string, unknown>),
  tokenize: async (c, body) =>
    c.success(await c.asPrivate('POST', '/tokenize', { made: body }), 200).body?.made,
  react: async (c, body) => {
    const maker = await c.shared('maker', s =>
      s.reactor({ code: 'module.exports = async req => ({ tokenize: { made: req.args.body } })' }),
    )
    return c.success(await c.react(maker, { args: { body } }), 200).body?.tokens?.made
  },
}

const createCells = Object.entries(creates).flatMap(([name, create]) =>
  Object.entries(types).map(
    ([type, { data, masked }]): Row => [
      `TOK-540.${name}-${type}${marked(name === 'react' ? ['management'] : [])}: the response shows a new ${type} masked: ${name}`,
      async c => {
        const made = await create(c, { type, data, containers: [c.container] })
        c.equal([made?.type, made?.data ?? undefined], [type, masked], 'type and data')
      },
    ],
  ),
)

/** Rights that an application has after a change, and what it then sees. */
const changes: Readonly<
  Record<string, { readonly rules: (container: string) => object[]; readonly sees?: Transform }>
> = {
  mask: { rules: container => [rule(container, 'mask', allTokenPermissions)], sees: 'mask' },
  redact: { rules: container => [rule(container, 'redact', allTokenPermissions)], sees: 'redact' },
  nothing: { rules: container => [rule(`${container}elsewhere/`, 'reveal', allTokenPermissions)] },
}

const changeCells = ways
  .filter(way => way.name !== 'webhook')
  .flatMap(way =>
    Object.entries(changes).map(
      ([to, { rules, sees }]): Row => [
        `ACC-541.${way.name}-${to}${marked(way.needs)}: after its rule changed from reveal to ${to}, a caller sees no more: ${way.title}`,
        async c => {
          const values = types.card ?? { data: 1, masked: 1 }
          const { token, key } = await c.shared(`changed to ${to}`, async s => {
            const made = await s.ruled('reveal', allTokenPermissions)
            const shown = await tokenOf(s, { type: 'card', data: values.data })
            s.equal((await s.read(shown.id, made.call)).data, values.data, 'data before')
            const next = { name: s.tag, rules: rules(s.container) }
            s.success(await s.asManagement('PUT', `/applications/${made.id}`, next), 200)
            return { token: shown, key: made.key }
          })
          if (sees) await expectData(c, way, c.as(key), token, shownUnder(sees, way, values))
          else await expectRefused(c, way, key, token)
        },
      ],
    ),
  )

async function expectRefused(c: Context, way: Way, key: string, token: Parameters<Way['look']>[2]) {
  if (way.gone === 'absent') return expectGone(c, way, c.as(key), token)
  const seen = await way.look(c, c.as(key), token)
  c.ok('refused' in seen, `${way.title} is refused`, seen)
  if ('refused' in seen) c.refused(seen.refused, 403, way.title)
}

/** The data of tokens under each transform, by every way to it and of every type. */
export const shownCases = cases([
  ...coreCells,
  ...rawCells,
  ...surrogateCells,
  ...createCells,
  ...changeCells,
])
