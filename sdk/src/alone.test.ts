// `Tokens` without the rest of the client, and what an application then imports besides.
import t from 'tap'
import { apiKey, failure, json, page } from '../testing/fakes.ts'
import {
  ConnectionError,
  isMistake,
  items,
  type ResourceOptions,
  Surrogate,
  Tokens,
  withLog,
} from './index.ts'

const baseUrl = 'http://vault.test'

/** Responds with pages of three tokens; each page has a cursor if `byCursor`. */
function listed(byCursor: boolean) {
  const queries: string[] = []
  const fetch = async (url: string) => {
    const { search, searchParams } = new URL(url)
    queries.push(search)
    const number = Number(searchParams.get('start') ?? searchParams.get('page') ?? 1)
    const body = await page([{ id: `t${number}` }], 3, number, 1).json()
    if (byCursor && number < 3) body.pagination.next = String(number + 1)
    return json(body)
  }
  return { tokens: new Tokens({ apiKey, baseUrl, fetch }), queries }
}

for (const [byCursor, expected] of [
  [true, ['?type=card', '?type=card&start=2', '?type=card&start=3']],
  [false, ['?type=card', '?type=card&page=2', '?type=card&page=3']],
] as const) {
  t.test(`items() iterates a list ${byCursor ? 'by cursors' : 'by page numbers'}`, async t => {
    const { tokens, queries } = listed(byCursor)
    const ids: string[] = []
    for await (const { id } of items(tokens.list({ type: ['card'] }))) ids.push(id)
    t.same(ids, ['t1', 't2', 't3'])
    t.same(queries, expected)
  })
}

t.test('a list is a call: it resolves with a page and its response', async t => {
  const { tokens, queries } = listed(true)
  const { data, total } = await tokens.list()
  t.same(data, [{ id: 't1' }])
  t.equal(total, 3)
  const { retries, response } = await tokens.search({ query: 'type:card' }).withResponse()
  t.equal(retries, 0)
  t.equal(response.status, 200)
  t.equal(queries.length, 2)
})

t.test('items() rejects like the list', async t => {
  const tokens = new Tokens({ apiKey, baseUrl, fetch: async () => json({}, 403), maxRetries: 0 })
  t.match(await failure(items(tokens.list()).next()), { status: 403 })
})

t.test('withLog() writes the log, without it none is written', async t => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const logger = { error: write, warn: write, info: write, debug: write }
  const options = {
    apiKey,
    baseUrl,
    fetch: async () => json({ id: 'an-id' }),
    logger,
    logLevel: 'debug',
  } as const
  await new Tokens(withLog(options)).get('an-id')
  t.equal(lines.length, 2)
  await new Tokens(options as unknown as ResourceOptions).get('an-id')
  t.equal(lines.length, 2)
})

t.test('onLost sees an attempt without a response', async t => {
  const seen: unknown[] = []
  const fetch = async () => {
    throw new TypeError('fetch failed')
  }
  const tokens = new Tokens({ apiKey, baseUrl, fetch, maxRetries: 0, onLost: event => seen.push(event) })
  await t.rejects(tokens.get('an-id'), ConnectionError)
  t.same(seen, [
    {
      operation: 'tokens.get',
      method: 'GET',
      url: `${baseUrl}/tokens/an-id`,
      retries: 0,
      reason: 'ConnectionError',
    },
  ])
})

t.test('isMistake() keeps the error of a custom fetch as it is', async t => {
  const mistake = new ReferenceError('x is not defined')
  const fetch = async () => {
    throw mistake
  }
  const options = { apiKey, baseUrl, fetch, maxRetries: 0 }
  t.equal(await failure<unknown>(new Tokens({ ...options, isMistake }).get('an-id')), mistake)
  t.equal(await failure<unknown>(new Surrogate(options).tokens.get('an-id')), mistake)
  t.match(await failure(new Tokens(options).get('an-id')), { name: 'ConnectionError', cause: mistake })
})
