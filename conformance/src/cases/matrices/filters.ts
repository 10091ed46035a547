import { readParsed } from '../../files.ts'
import type { Profile } from '../../harness/finding.ts'
import { type Cell, matrix } from './cell.ts'
import { callerUnder } from './ways.ts'

interface Filter {
  readonly filter: string
  readonly profile?: Profile
  readonly means: string
  readonly examples: readonly (readonly [expression: string, data: unknown, result?: unknown])[]
}

const cells = (readParsed('expressions') as readonly Filter[]).map(
  ({ filter, profile, means, examples }): Cell => ({
    requirement: profile === 'core' ? 'TOK-055' : 'EXP-502',
    name: `filter-${filter}`,
    title: `the filter ${filter} gives ${means}`,
    needs: ['masked-caller'],
    async run(c) {
      const call = await callerUnder(c, 'mask')
      for (const [expression, data, result] of examples) {
        const what = `${expression} of ${JSON.stringify(data)}`
        // In the container that the rule of the caller covers.
        const { id } = await c.shared(what, s => s.token({ data, mask: { shown: expression } }))
        c.equal((await c.read(id, call)).data?.shown ?? undefined, result, what)
      }
    },
  }),
)

/** The filters of expressions, by the examples of the appendix of the specification. */
export const filterCases = matrix(cells)
