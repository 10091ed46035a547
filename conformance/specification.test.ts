import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { testRule } from '../server/verify/support/test-rule.ts'
// @ts-expect-error: a script without types
import { withExpressions, withRequirements } from './scripts/write-specification.mjs'
import { readParsed } from './src/files.ts'
import { readRequirements } from './src/harness/requirements.ts'
import { cases } from './src/run.ts'

const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

testRule('the specification contains each requirement once, under its anchor', async t => {
  const text = await read('SPECIFICATION.md')
  const requirements = parse(await read('requirements.yaml')) as {
    id: string
    text: string
    status?: string
  }[]
  t.equal(withRequirements(text, requirements), text, 'up to date; npm run specification writes it')
  t.same(readParsed('requirements'), requirements, 'npm run specification also writes what the suite reads')
  for (const { id, text: sentence } of requirements.filter(one => one.status !== 'withdrawn')) {
    const lines = text.split('\n').filter(line => line.includes(`<a id="${id.toLowerCase()}">`))
    t.equal(lines.length, 1, id)
    t.ok(lines[0]?.endsWith(sentence), `${id} quotes its sentence`)
  }
  const changed = requirements.map(one => (one.id === 'TOK-001' ? { ...one, text: 'Other.' } : one))
  t.not(withRequirements(text, changed), text, 'the control: a change of a sentence changes the file')
})

testRule('each case of core is carried by a sentence in the section of core that it names', async t => {
  const text = await read('SPECIFICATION.md')
  const core = text.slice(0, text.indexOf('## Decisions of Surrogate'))
  const sections = new Map(
    core
      .split(/^#{2,3} /m)
      .slice(1)
      .map(part => [part.slice(0, part.indexOf(' ')).replace(/\.$/, ''), part]),
  )
  const requirements = new Map(readRequirements().map(one => [one.id, one]))
  const isCarried = (id: string | undefined) => {
    const { section = '', text: sentence = '' } = requirements.get(id ?? '') ?? {}
    return sections.get(section)?.includes(`**${id}** ${sentence}`) === true
  }
  const ofCore = cases.filter(one => requirements.get(one.requirement)?.profile === 'core')
  t.ok(ofCore.length > 600, `${ofCore.length} cases`)
  t.same(
    ofCore.filter(one => !isCarried(one.requirement)).map(one => one.id),
    [],
  )
  const other = cases.find(one => requirements.get(one.requirement)?.profile === 'surrogate')
  t.notOk(isCarried(other?.requirement), 'the control: a sentence of the decisions is not in core')
})

testRule('the appendix has each filter with its examples, which the cases are made from', async t => {
  const text = await read('SPECIFICATION.md')
  const filters = parse(await read('expressions.yaml')) as { filter: string; examples: unknown[][] }[]
  t.equal(withExpressions(text, filters), text, 'up to date; npm run specification writes it')
  t.same(readParsed('expressions'), filters, 'npm run specification also writes what the suite reads')
  t.not(withExpressions(text, filters.slice(1)), text, 'the control: without a filter the file changes')
})

testRule('the suite reads the contract as it is', async t => {
  t.same(readParsed('openapi'), parse(await read('../openapi.yaml')), 'npm run generate writes it')
})
