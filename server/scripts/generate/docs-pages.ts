/** Makes the pages about expressions, search, webhooks and tests that `/docs` shows beside the contract. */
import { readFile, writeFile } from 'node:fs/promises'

const server = new URL('../../', import.meta.url)

interface DocsPage {
  readonly id: string
  readonly title: string
  readonly file: string
  /** The headings of the sections to show; all, if absent. */
  readonly sections?: readonly string[]
}

const pages: readonly DocsPage[] = [
  {
    id: 'expressions',
    title: 'Expressions and filters',
    file: 'src/expressions/README.md',
    sections: [
      'Variables and results',
      'Filters for a vault',
      'Filters and tags of Liquid',
      'Limits',
      'Errors',
    ],
  },
  {
    id: 'search',
    title: 'Search language',
    file: 'src/search/README.md',
    sections: ['The language', 'Rights', 'Pages'],
  },
  { id: 'webhooks', title: 'Webhooks', file: 'src/webhooks/README.md', sections: ['Guarantees'] },
  { id: 'dev', title: 'Test your application: /_dev', file: 'guide/test.md' },
]

/** Writes the pages as `[{ id, title, sections: [{ heading, text }] }]`, with texts in Markdown. */
export async function writeDocsPages(target: URL): Promise<void> {
  const made = pages.map(async ({ id, title, file, sections: wanted }) => {
    const sections = sectionsOf(await readFile(new URL(file, server), 'utf8'))
    const missing = wanted?.find(heading => sections.every(section => section.heading !== heading))
    if (missing !== undefined) throw new Error(`${file} has no section ${missing}`)
    const shown = wanted?.flatMap(heading => sections.filter(section => section.heading === heading))
    return { id, title, sections: shown ?? sections }
  })
  await writeFile(target, JSON.stringify(await Promise.all(made)))
}

/** Splits Markdown at its headings of the second level. The text before them has an empty heading. */
function sectionsOf(markdown: string): { heading: string; text: string }[] {
  return markdown
    .replace(/^# .*\n/, '')
    .split(/^## /m)
    .map((part, index) => {
      const end = part.indexOf('\n')
      return index === 0
        ? { heading: '', text: part.trim() }
        : { heading: part.slice(0, end), text: part.slice(end).trim() }
    })
}
