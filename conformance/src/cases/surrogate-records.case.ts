import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import type { Call, Reply } from '../harness/target.ts'
import { card } from './values.ts'

interface Outcome {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the case itself checks the form of an outcome
  readonly body?: any
  readonly problem?: { readonly status: number; readonly errors?: Record<string, string[]> }
}

/** Sends records and returns the outcome of each. */
async function outcomesOf(
  c: Context,
  call: Call,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<readonly Outcome[]> {
  const reply: Reply = await call('POST', `${path}?outcome=each`, body, { headers })
  const { results } = c.success(reply, 207).body
  for (const { status, body, problem } of results) {
    c.equal(problem?.status, status < 400 ? undefined : status, 'the status of the problem')
    if (status >= 400) c.equal(body, undefined, 'the body of a refused record')
  }
  return results
}

const statuses = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status)

/** Several records in one request. */
export const recordCases = cases({
  'TKZ-506.a': [
    'each record is tokenized, or refused, on its own, in their order',
    async c => {
      const described = { type: 'card', data: card, containers: [c.container] }
      const wrong = { ...described, data: { number: '4242424242424241' } }
      const records = [described, wrong, [described, wrong], { kept: [described] }]
      const outcomes = await outcomesOf(c, c.asPrivate, '/tokenize', records)
      c.equal(statuses(outcomes), [200, 400, 400, 200], 'the statuses')
      c.ok(outcomes[1]?.problem?.errors?.['data.number'], 'where the second record is wrong')
      const made = [outcomes[0]?.body, outcomes[3]?.body?.kept?.[0]]
      c.equal(await c.found(''), made.map(({ id }) => id).sort(), 'what is stored')
    },
  ],
  'TKZ-506.b': [
    'each record is detokenized, or refused, on its own, in their order',
    async c => {
      const [own, other] = [await c.token(), await c.token({ containers: [`/other${c.container}`] })]
      const { call } = await c.ruled('reveal', ['token:use'])
      const records = [`{{ ${own.id} }}`, [`{{ ${other.id} }}`], `{{ none-${c.tag} }}`, { plain: true }]
      const outcomes = await outcomesOf(c, call, '/detokenize', records)
      c.equal(statuses(outcomes), [200, 403, 400, 200], 'the statuses')
      c.equal([outcomes[0]?.body, outcomes[3]?.body], [c.tag, { plain: true }], 'the payloads')
    },
    'applications',
  ],
  'TKZ-506.c': [
    'without outcome, or with a body that is not a list of 1 to 100 records, nothing is done on its own',
    async c => {
      const at = { type: 'token', data: 1, containers: [c.container] }
      const send = (body: unknown) => c.asPrivate('POST', '/tokenize?outcome=each', body)
      await c.refuses<unknown>(400, send, [at], {
        'an object': { at },
        'a text': 'text',
        'an empty list': [],
        '101 records': Array.from({ length: 101 }, () => at),
      })
      const hundred = await outcomesOf(c, c.asPrivate, '/tokenize', Array(100).fill(null))
      c.ok(hundred.length === 100 && hundred.every(({ status }) => status === 400), '100 records')
      for (const query of ['', '?outcome=all'])
        c.refused(await c.asPrivate('POST', `/tokenize${query}`, [at, { type: 'card', data: {} }]), 400)
      c.equal((await c.found('')).length, 1, 'the tokens of the control')
    },
  ],
  'TKZ-506.e': [
    'another value of outcome is refused',
    async c => {
      for (const [path, body] of [
        ['/tokenize', [1]],
        ['/detokenize', [1]],
      ] as const) {
        const send = (outcome: string) =>
          c.asPrivate('POST', `${path}?outcome=${outcome}`, body, { plain: true })
        await c.refuses(400, send, 'each', { [`another outcome of ${path}`]: 'some' })
      }
    },
  ],
  'TKZ-506.d': [
    'a repeated request does the records that failed, and shows the others again',
    async c => {
      const headers = { [`${c.target.headerPrefix}-IDEMPOTENCY-KEY`]: c.tag }
      const taken = { type: 'token', data: 1, containers: [c.container], id: `${c.tag}-taken` }
      await c.token(taken)
      const records = [{ ...taken, id: null }, taken]
      const first = await outcomesOf(c, c.asPrivate, '/tokenize', records, headers)
      c.equal(statuses(first), [200, 409], 'the statuses')
      c.success(await c.asPrivate('DELETE', `/tokens/${taken.id}`), 204)
      const again = await outcomesOf(c, c.asPrivate, '/tokenize', records, headers)
      c.equal(statuses(again), [200, 200], 'the statuses of the repeated request')
      c.equal(again[0], first[0], 'the outcome of the first record')
      c.equal(await c.found(''), [again[0]?.body.id, taken.id].sort(), 'what is stored')
    },
  ],
})
