import t from 'tap'
import { keys } from './callers.ts'
import type { FuzzCase, Kind } from './case.ts'
import { readDocument } from './document.ts'
import { fuzz } from './fuzz.ts'
import { Generator } from './generate.ts'
import { describe } from './report.ts'

const generator = new Generator(readDocument())

/** Returns the first case of a kind whose title matches, with a key if it is given, and then without parameters. */
function find(kind: Kind, title: RegExp, key?: string): FuzzCase {
  for (let number = 0; number < 50_000; number++) {
    const one = generator.generate('defects', number, kind)
    const { headers, target } = one.request
    const isPlain = key === undefined || (headers[0]?.[1] === key && !target.includes('?'))
    if (title.test(one.title) && isPlain) return one
  }
  throw new Error(`no case of the kind ${kind} has a title like ${title}`)
}

const unread = find('unread', /reads of a large token/)

/** Defects, the cases that find them, and the findings. */
const expected: readonly (readonly [defect: string, FuzzCase, fault: string, what: RegExp])[] = [
  ['no end after a 101', find('peer', /to \/proxy, .*101 with Upgrade/), 'open exchange', /no response/],
  ['no budget for responses', unread, 'unread responses', /holds \d+\.\d MiB more/],
  ['no turns on a connection', unread, 'unread responses', /begun before the responses/],
  ['duplicates by fingerprint alone', find('valid', /planted/), 'planted original', /theirs|own data/],
  [
    'no frames for bodies of GET and DELETE',
    find('peer', /^(GET|DELETE) to \/proxy with a body, .*own/),
    'unframed body',
    /bytes behind it/,
  ],
  [
    'no shares of connections',
    find('unread', /unfinished bodies/),
    'no room for others',
    /a probe is refused/,
  ],
  ['no shares of jobs', find('unread', /of one session/), 'no room for others', /another application/],
  ['cacheable responses', find('valid', /^tokens.get$/), 'cacheable response', /undefined/],
  ['headers of targets', find('peer', /^POST to \/proxy.*own/), 'reserved header', /set-cookie/],
  [
    'lists that trust the index',
    find('valid', /^tokens.list$/, keys.restricted),
    'list shows what a read refuses',
    /403/,
  ],
]
const cases = [...new Set(expected.map(([, one]) => one))]
const run = (patienceMs: number, ...names: string[]) => {
  const target = { preload: 'server/verify/fuzz/_sabotage.ts', env: { SABOTAGE: names.join(',') } }
  return fuzz({ seed: 'defects', count: cases.length, cases, patienceMs, target })
}

t.test('each defect of the past is found by its case when it is put back', async t => {
  const report = await run(4_000, 'altered index', ...expected.map(([defect]) => defect))
  const text = describe(report, 'npm run verify -- fuzz')
  for (const [defect, { title }, fault, what] of expected) {
    const found = report.findings.filter(
      one => one.fault === fault && one.one?.title === title && what.test(one.what),
    )
    t.ok(found.length > 0, defect, found.length > 0 ? {} : { text })
  }
})

t.test('the same cases find nothing without the defects, also with an altered index', async t => {
  const report = await run(15_000, 'altered index')
  t.same(report.findings, [], describe(report, 'npm run verify -- fuzz'))
})
