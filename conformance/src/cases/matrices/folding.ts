import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'

/** Texts that differ in case alone, in several scripts. */
const pairs: Readonly<Record<string, readonly [string, string]>> = {
  ascii: ['Jane', 'jANE'],
  latin: ['Zoë-Åsa', 'ZOË-ÅSA'],
  greek: ['Ωμέγα', 'ΩΜΈΓΑ'],
  cyrillic: ['Жук', 'жУК'],
}

/** Finds tokens or formulas by a text that may have another case; resolves with true if it was found. */
const finders: Readonly<Record<string, (c: Context, stored: string, asked: string) => Promise<boolean>>> = {
  list: async (c, stored, asked) => {
    const { id } = await c.token({ metadata: { run: c.tag, name: stored } })
    const path = `/tokens?metadata.run=${c.tag}&metadata.name=${encodeURIComponent(asked)}`
    return c.ids(await c.get(path, c.asPrivate)).includes(id)
  },
  search: async (c, stored, asked) => {
    const { id } = await c.token({ metadata: { name: stored } })
    return (await c.found(`metadata.name:"${asked}"`)).includes(id)
  },
  data: async (c, stored, asked) => {
    const { id } = await c.token({ data: stored, search_indexes: ['{{ data }}'] })
    return (await c.found(`data:"${asked}"`)).includes(id)
  },
  'formula-name': async (c, stored, asked) => {
    const { id } = await c.formula({ name: `${stored} ${c.tag}` })
    const path = `/reactor-formulas?name=${encodeURIComponent(`${asked} ${c.tag}`)}`
    return c.ids(await c.get(path)).includes(id)
  },
}

/** Case is ignored in every comparison of texts, in every script. */
export const foldingCases = cases(
  Object.entries(finders).flatMap(([way, find]) =>
    Object.entries(pairs).map(
      ([script, [stored, asked]]): Row => [
        `SEA-541.${way}-${script}${marked(way === 'formula-name' ? ['management'] : [])}: texts that differ in case alone are equal: ${script}, by ${way.replace('-', ' ')}`,
        async c => {
          c.equal(await find(c, stored, stored), true, 'found as it was written')
          c.equal(await find(c, stored, asked), true, 'found in another case')
          c.equal(await find(c, stored, `${asked}x`), false, 'found by another text')
        },
      ],
    ),
  ),
)
