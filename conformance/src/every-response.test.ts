import tap from 'tap'
import { contract } from '../selftest/_reference.ts'
import { cases } from './harness/case.ts'
import type { Context } from './harness/context.ts'
import type { Requirement } from './harness/requirements.ts'
import type { Target } from './harness/target.ts'
import { nextSteps } from './next.ts'
import { type RunOptions, run } from './run.ts'

const requirement = (id: string): Requirement => ({
  id,
  profile: 'surrogate',
  section: 'On the wire',
  level: 'MUST',
  status: 'active',
  needs: [],
  operations: [],
  text: 'A sentence.',
})
const target: Target = {
  baseUrl: 'http://server',
  privateKey: 'key_prv_very_secret',
  headerPrefix: 'SVC',
  capabilities: [],
  timeoutMs: 1000,
  patienceMs: 10,
  fetch: async request =>
    new Response(null, {
      status: 204,
      headers: { 'SVC-TRACE-ID': request.headers.get('SVC-TRACE-ID') ?? 'one' },
    }),
}
const erase = async (c: Context) => void (await c.asPrivate('DELETE', '/tokens/a'))
const all = cases({
  'TOK-001.a: one': erase,
  'TOK-002.a: two': erase,
  'WIR-542.a: three': async c => void (await c.asPrivate('DELETE', '/tokens/b')),
})
const judged = (options: RunOptions = {}) =>
  run(target, {
    contract,
    profile: 'surrogate',
    requirements: ['TOK-001', 'TOK-002', 'WIR-542'].map(requirement),
    cases: all,
    seed: 1,
    ...options,
  })
const failed = ({ results }: Awaited<ReturnType<typeof judged>>) =>
  results.filter(({ findings }) => findings.length > 0).map(one => one.case.id)

tap.test(
  'a fault of all responses fails the requirement of every response alone, and comes first',
  async t => {
    const ended: string[] = []
    const made = await judged({ onResult: ({ case: one }) => ended.push(one.id) })
    t.same(failed(made), ['WIR-542.a'])
    const [first, own] = made.results.find(one => one.case.id === 'WIR-542.a')?.findings ?? []
    t.match(first?.message, /^a response in TOK-00[12]\.a, and 1 others: 204 may be cached/)
    t.match(own?.message, /^204 may be cached: its Cache-Control is missing$/)
    t.equal(ended.at(-1), 'WIR-542.a', 'it is reported when all responses have been seen')
    t.equal(nextSteps(made.results, 'surrogate')[0]?.requirement?.id, 'WIR-542')
  },
)

tap.test('a fault of all responses fails each case if none of its requirement is run', async t => {
  t.same(failed(await judged({ only: ['TOK-*'] })).sort(), ['TOK-001.a', 'TOK-002.a'])
})
