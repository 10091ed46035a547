import { type Case, cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { rule } from '../values.ts'
import { expectData, tokenOf, ways } from './ways.ts'

const reads = ways.filter(({ name }) => ['get', 'list', 'search'].includes(name))
const secret = (c: Context) => ({ data: { secret: c.tag, open: 1 }, mask: { open: '{{ data.open }}' } })
const masked = { open: 1 }

const cells: readonly (Row | Case)[] = [
  ...cases({
    'AUT-017.near [applications]: a rule on a container does not cover one whose name begins the same: reading, listing and searching':
      async c => {
        const { call } = await c.ruled(
          'reveal',
          ['token:read', 'token:search', 'token:delete'],
          `${c.container}a/`,
        )
        const own = await c.token({ containers: [`${c.container}a/`] })
        const below = await c.token({ containers: [`${c.container}a/b/`] })
        const near = await c.token({ containers: [`${c.container}ab/`] })
        for (const { id } of [own, below]) c.equal((await c.read(id, call)).data, c.tag, 'data')
        c.refused(await call('GET', `/tokens/${near.id}`), 403, 'reading the other')
        const list = await call('GET', `/tokens?id=${own.id}&id=${below.id}&id=${near.id}`)
        c.equal(c.ids(c.success(list, 200).body).sort(), [own.id, below.id].sort(), 'the list')
        await c.finds('', [own.id, below.id], 'the search', call)
        c.refused(await call('DELETE', `/tokens/${near.id}`), 403, 'deleting the other')
      },
  }),
  ...reads.flatMap((way): Row[] => [
    [
      `AUT-018.${way.name} [applications]: a permission without a rule shows the mask: ${way.title}`,
      async c => {
        const { call } = await c.application({ permissions: ['token:read', 'token:search'] })
        const token = await tokenOf(c, secret(c))
        await expectData(c, way, call, token, masked)
        // The control: a rule that reveals.
        await expectData(c, way, c.asPrivate, token, secret(c).data)
      },
    ],
    [
      `AUT-019.${way.name} [applications]: the rule with the lowest priority decides, in any order of the rules: ${way.title}`,
      async c => {
        const token = await tokenOf(c, secret(c))
        const on = (priority: number, transform: string) =>
          rule(c.container, transform, ['token:read', 'token:search'], priority)
        for (const [first, second, seen] of [
          ['mask', 'reveal', masked],
          ['reveal', 'mask', secret(c).data],
        ] as const)
          for (const rules of [
            [on(1, first), on(2, second)],
            [on(20, second), on(3, first)],
          ])
            await expectData(c, way, (await c.application({ rules })).call, token, seen)
      },
    ],
  ]),
]

/** Rules whose containers and names are nearly those of a token. */
export const nearRuleCases = cases(cells)
