import { type Requirement, sectionName } from '../harness/requirements.ts'
import { escaped } from './escaped.ts'
import { style } from './style.ts'

/** Returns the place of a requirement's sentence in the page below. */
export const linkOf = ({ id }: Pick<Requirement, 'id'>) => `specification.html#${id}`

/** Returns all sentences of the specification by section, each with an anchor, as one page. */
export function specificationPage(requirements: readonly Requirement[]): string {
  const parts = [...grouped(requirements)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, all]) => `<section><h2>${escaped(name)}</h2><dl>
${all.map(one => `<dt id="${escaped(one.id)}">${escaped(one.id)} ${escaped(one.level)}</dt><dd>${escaped(one.text)}</dd>`).join('\n')}
</dl></section>`,
    )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Requirements of a tokenization service</title><style>${style}</style></head><body>
<h1>Requirements of a tokenization service</h1>
<p>Sections with numbers are those of the specification (core). The others are decisions of Surrogate (surrogate).</p>
${parts.join('\n')}
</body></html>
`
}

function grouped(requirements: readonly Requirement[]) {
  const groups = new Map<string, Requirement[]>()
  for (const one of requirements) {
    const name = sectionName(one)
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return groups
}
