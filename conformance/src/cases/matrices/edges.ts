import { cases } from '../../harness/case.ts'

/** Names and texts with blanks at their edges, which are others. */
export const edgeCases = cases({
  'TOK-053.blank-names: names of metadata with blanks at an edge are names of their own': async c => {
    const metadata = { a: 'plain', ' a': 'before', 'a ': 'behind' }
    const { id } = await c.token({ metadata })
    c.equal((await c.read(id)).metadata, metadata, 'metadata')
    const patched = await c.patch(id, { metadata: { ' a': null } })
    c.equal(patched.metadata, { a: 'plain', 'a ': 'behind' }, 'metadata without one')
  },
  'TOK-053.blank-values: values of metadata with blanks at an edge are found as they are': async c => {
    const [plain, before, behind] = [c.tag, ` ${c.tag}`, `${c.tag} `]
    const made: string[] = []
    for (const run of [plain, before, behind]) made.push((await c.token({ metadata: { run } })).id)
    for (const [index, run] of [plain, before, behind].entries()) {
      await c.finds(`metadata.run:"${run}"`, [made[index] ?? ''], `what ${JSON.stringify(run)} finds`)
      const list = await c.get(`/tokens?metadata.run=${encodeURIComponent(run)}`, c.asPrivate)
      c.equal(c.ids(list), [made[index]], `what ${JSON.stringify(run)} lists`)
    }
  },
  'SEA-025.blank-second: the second of several index values counts like the first, with its blanks':
    async c => {
      const { id } = await c.token({
        data: { a: `a${c.tag}`, b: ` b${c.tag}` },
        search_indexes: ['{{ data.a }}', '{{ data.b }}'],
      })
      await c.finds(`data:"a${c.tag}"`, [id], 'by the first')
      await c.finds(`data:" b${c.tag}"`, [id], 'by the second')
      await c.finds(`data:"b${c.tag}"`, [], 'by the second without its blank')
    },
  'SEA-010.second-container: the second of several containers counts like the first': async c => {
    const containers = [`${c.container}one/`, `${c.container}two/`]
    const { id } = await c.token({ containers })
    for (const one of containers) await c.finds(`container:"${one}"`, [id], one)
    await c.finds(`container:"${c.container}"`, [], 'the one above')
  },
  'TOK-016.same-data-of-two-types: tokens of two types have different fingerprints, although the expression gives the same':
    async c => {
      const make = (type: string) =>
        c.token({ type, data: '4242424242424242', fingerprint_expression: `${c.tag}{{ data }}` })
      const [one, same, other] = [await make('card_number'), await make('card_number'), await make('token')]
      c.equal(same.fingerprint, one.fingerprint, 'the fingerprint of the same type')
      c.ok(other.fingerprint !== one.fingerprint, 'that of another type is another', other.fingerprint)
    },
})
