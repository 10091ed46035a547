import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import type { Call } from '../harness/target.ts'

/** An entry of the log, or a position. */
interface Line {
  readonly id?: string
  readonly operation?: string
  readonly entity_id?: string
  readonly created_at?: string
  readonly after?: string
}

/** Follows the log until its lines contain a text, acts as soon as there is a position, and returns the lines. */
async function followed(
  c: Context,
  call: Call,
  query: string,
  end: string,
  act: () => Promise<unknown> = async () => {},
): Promise<readonly Line[]> {
  let open = () => {}
  const isOpen = new Promise<void>(resolve => {
    open = resolve
  })
  const isEnough = (text: string) => {
    if (text.includes('"after"')) open()
    return text.includes(end) && text.endsWith('\n')
  }
  const following = call('GET', `/logs?follow=true${query}`, undefined, { plain: true, isEnough })
  const acting = Promise.race([isOpen, following]).then(act)
  const [reply] = await Promise.all([following, acting])
  const { headers, text } = c.success(reply, 200)
  c.ok(/^application\/x-ndjson/.test(headers.get('content-type') ?? ''), 'lines of JSON')
  const lines: Line[] = text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
  const ids = lines.flatMap(({ id }) => id ?? [])
  c.equal(ids.length, new Set(ids).size, 'the number of different entries')
  return lines
}

/** Creates tokens with these numbers in their ids, one after another. */
async function make(c: Context, ...numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await c.token({ id: idOf(c, number) })
}

const idOf = (c: Context, number: number) => `${c.tag}-${number}`

/** Returns the time of the entry of a token's creation. */
const timeOf = (c: Context, id: string): Promise<string> =>
  c.eventually(async () => {
    const { data } = c.success(await c.asManagement('GET', `/logs?entity_id=${id}`), 200).body
    return data.find(({ operation }: Line) => operation === 'token:create')?.created_at
  }, 'the entry of a token')

/** Returns which tokens of this case were created. A list of another case at the same time may have read them, too. */
const ownIds = (c: Context, lines: readonly Line[]) =>
  lines.flatMap(({ operation, entity_id }) =>
    operation === 'token:create' && entity_id?.startsWith(c.tag) ? [entity_id] : [],
  )

/** Following the log. */
export const followCases = cases({
  'LOG-502.a': [
    'a log that is followed sends each entry as a line, in order, and a new one when it is made',
    async c => {
      await make(c, 1)
      const from = await timeOf(c, idOf(c, 1))
      const act = () => make(c, 2, 3)
      const lines = await followed(c, c.asManagement, `&from=${from}`, idOf(c, 3), act)
      const expected = [1, 2, 3].map(number => idOf(c, number))
      c.equal(ownIds(c, lines), expected, 'the entries of the tokens')
      const times = lines.flatMap(({ created_at }) => created_at ?? [])
      c.equal(times, times.toSorted(), 'the times of all entries')
    },
  ],
  'LOG-502.b': [
    'a log is followed from a position on, without a gap and without what came before',
    async c => {
      await make(c, 1, 2)
      const after = await timeOf(c, idOf(c, 1))
      const lines = await followed(c, c.asManagement, `&after=${after}`, '"after"')
      c.equal(ownIds(c, lines), [idOf(c, 2)], 'the entries behind the first one')
      const position = lines.at(-1)?.after ?? ''
      // Between the two streams.
      await make(c, 3)
      const further = await followed(c, c.asManagement, `&after=${position}`, '"after"')
      c.equal(ownIds(c, further), [idOf(c, 3)], 'the entries behind the position')
    },
  ],
  'LOG-502.d': [
    'a position that is not a time, and an unknown value of follow, are refused',
    async c => {
      const ask = (query: string) => c.asManagement('GET', `/logs?${query}`)
      await c.refuses(400, ask, 'after=2001-01-01T00:00:00Z', {
        'no time': 'after=yesterday',
        'another value': 'follow=maybe',
      })
    },
  ],
  'LOG-502.c': [
    'a log that is followed has the entries of its filters only',
    async c => {
      await make(c, 1, 2)
      const query = `&from=2001-01-01T00:00:00Z&entity_id=${idOf(c, 2)}`
      const lines = await followed(c, c.asManagement, query, '"after"')
      const entities = new Set(lines.flatMap(({ entity_id }) => entity_id ?? []))
      c.equal([...entities], [idOf(c, 2)], 'what the entries are about')
    },
  ],
  'LOG-503.a': [
    'a log is followed with a key that may read it, and no further when its application is deleted',
    async c => {
      const watcher = await c.application({ permissions: ['log:read'] }, 'management')
      const other = await c.application({ permissions: ['application:read'] }, 'management')
      const lines = await followed(c, watcher.call, '', c.tag, async () => {
        c.success(await c.asManagement('DELETE', `/applications/${watcher.id}`), 204)
        await make(c, 1)
      })
      c.equal(ownIds(c, lines), [], 'entries from later')
      c.refused(await other.call('GET', '/logs?follow=true'), 403, 'a key without log:read')
    },
  ],
})
