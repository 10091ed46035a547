import { readFileSync } from 'node:fs'
import tap from 'tap'
import { published, publishedNames, reportIn, withTable } from './selftest/published.ts'

tap.test('published reports are identified, whole, and in the table', async t => {
  const names = publishedNames()
  t.ok(names.includes('surrogate'), 'ours is one of them')
  for (const name of names) {
    const { target, tallies, cases, suite } = reportIn(name)
    t.ok(target.name && target.version && target.contact, `${name} has name, version and contact`)
    t.ok(tallies.core && cases.length > 0 && suite.version, `${name} has a verdict with its numbers`)
    const page = readFileSync(new URL(`${name}/report.html`, published), 'utf8')
    t.ok(
      page.includes(`core: ${tallies.core?.passed} of ${tallies.core?.total}`),
      'the page is of the same run',
    )
  }
  const text = readFileSync(new URL('README.md', published), 'utf8')
  t.equal(withTable(text), text, 'the table is up to date; npm run conformance writes it')
})
