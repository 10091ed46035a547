import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { testRule } from '../server/verify/support/test-rule.ts'
import { contract } from './selftest/_reference.ts'
import { withTotals } from './selftest/_totals.ts'
import { readUncovered } from './selftest/_uncovered.ts'
import { isCapability } from './src/capabilities.ts'
import { readRequirements, sectionName } from './src/harness/requirements.ts'
import { cases } from './src/run.ts'

/** Checks that requirements, cases and the contract refer to each other completely, or that a reason is given. */
const requirements = readRequirements()
const { uncovered, unnamed } = readUncovered()
const byId = new Map(requirements.map(one => [one.id, one]))

testRule('each requirement is complete, with an id of its own', async t => {
  t.ok(requirements.length >= 200, `${requirements.length} requirements`)
  t.equal(byId.size, requirements.length, 'ids are unique')
  const operations = new Set(contract.operations.map(({ id }) => id))
  for (const one of requirements) {
    t.match(
      one.id,
      one.profile === 'core' ? /^[A-Z]{3}-[0-4]\d\d$/ : /^[A-Z]{3}-[5-9]\d\d$/,
      `${one.id} matches its profile`,
    )
    t.match(one.level, /^(MUST|SHOULD|MAY)$/, one.id)
    t.match(one.status, /^(active|provisional|withdrawn)$/, one.id)
    t.ok(
      one.status === 'withdrawn' ||
        (one.operations.length > 0 && one.operations.every(id => operations.has(id))),
      `${one.id} names operations of the contract`,
    )
    t.ok(one.needs.every(isCapability), `${one.id} needs known capabilities`)
    t.match(one.text, /^\S.*\.$/s, `${one.id} is a sentence`)
  }
})

testRule('ids are append-only', async t => {
  const pinned = readFileSync(new URL('./ids.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const now = new Set(requirements.map(({ id, profile, level }) => `${id} ${profile} ${level}`))
  t.ok(pinned.length >= 200)
  for (const line of pinned)
    t.ok(now.has(line), `${line}: a record can be withdrawn, but never removed or reused`)
  t.equal(now.size, pinned.length, 'new ids are added to ids.txt')
})

testRule('each case belongs to a requirement, and each active requirement has one', async t => {
  t.equal(new Set(cases.map(({ id }) => id)).size, cases.length, 'ids of cases are unique')
  t.equal(new Set(cases.map(({ title }) => title)).size, cases.length, 'titles of cases are unique')
  for (const one of cases) {
    t.match(one.id, /^[A-Z]{3}-\d{3}\.[a-z]+(-[a-z0-9]+)*$/)
    t.ok(byId.has(one.requirement), `${one.id} belongs to a requirement`)
    t.notMatch(
      one.title,
      /\b(should|must)\b/i,
      `${one.id}: the title does not state a level, which the requirement has`,
    )
  }
  const covered = new Set(cases.map(({ requirement }) => requirement))
  for (const { id, status } of requirements) {
    if (status === 'active')
      t.ok(covered.has(id) !== id in uncovered, `${id} has a case, or a reason and no case`)
  }
})

testRule('each operation is named by a requirement', async t => {
  const operations = contract.operations.map(({ id }) => id)
  t.same(
    operations.filter(id => !requirements.some(one => one.operations.includes(id))),
    [],
  )
})

testRule('each active requirement is named in the code or the contract, or a reason is given', async t => {
  const folder = new URL('../server/', import.meta.url)
  const files = (await readdir(folder, { recursive: true })).filter(
    file => /(?<!\.(test|cases))\.ts$/.test(file) && !/(^|\/)(dist|node_modules|generated)\//.test(file),
  )
  const named = ['../openapi.yaml', ...files].flatMap(file =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^\s*(?:\/\/|#) Requirements: (.+)$/gm)].flatMap(
      match => (match[1] ?? '').split(', ').map(id => ({ file, id })),
    ),
  )
  for (const { file, id } of named) t.equal(byId.get(id)?.status, 'active', `${id}, named in ${file}`)
  const names = new Set(named.map(({ id }) => id))
  for (const { id, status } of requirements) {
    if (status === 'active') t.ok(names.has(id) !== id in unnamed, `${id} is either named or has a reason`)
  }
  t.same(
    Object.keys(unnamed).filter(id => byId.get(id)?.status !== 'active'),
    [],
    'reasons for unknown ids',
  )
})

testRule('the README has the totals of all cases; npm run conformance writes them', async t => {
  const totals: Record<string, { pass: number }> = {}
  const sections = cases.flatMap(({ requirement }) => {
    const found = byId.get(requirement)
    return found ? [sectionName(found)] : []
  })
  for (const section of sections.sort()) totals[section] = { pass: (totals[section]?.pass ?? 0) + 1 }
  const text = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  t.equal(withTotals(text, totals), text)
  const core = cases.filter(one => byId.get(one.requirement)?.profile === 'core').length
  const named = await Promise.all(
    ['README.md', 'GUIDE.md'].map(name => readFile(new URL(name, import.meta.url), 'utf8')),
  )
  for (const [, total] of named.join().matchAll(/\bcore: \d+ of (\d+)/g)) t.equal(Number(total), core)
})
