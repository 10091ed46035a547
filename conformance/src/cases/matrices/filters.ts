import { readParsed } from '../../files.ts'
import { cases, type Row } from '../../harness/case.ts'
import type { Profile } from '../../harness/finding.ts'

interface Filter {
  readonly filter: string
  readonly profile?: Profile
  readonly means: string
  readonly examples: readonly (readonly [expression: string, data: unknown, result?: unknown])[]
}

const cells = (readParsed('expressions') as readonly Filter[]).map(
  ({ filter, profile, means, examples }): Row => [
    `${profile === 'core' ? 'TOK-055' : 'EXP-502'}.filter-${filter}: the filter ${filter} gives ${means}`,
    async c => {
      for (const [expression, data, result] of examples) {
        const what = `${expression} of ${JSON.stringify(data)}`
        // The response to a create shows the mask.
        const made = await c.token({ data, mask: { shown: expression } })
        c.equal(made.data?.shown ?? undefined, result, what)
      }
    },
  ],
)

/** The filters of expressions, by the examples of the appendix of the specification. */
export const filterCases = cases(cells)
