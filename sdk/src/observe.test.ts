import t from 'tap'
import { apiKey, dropped, failure, fakeClient, json, problem } from '../testing/fakes.ts'
import { type Logger, type LogLevel, Surrogate, type SurrogateOptions } from './index.ts'

const number = '4242424242424242'
const answers = [dropped, () => problem(503, 'unavailable'), () => json({ data: 'of-a-formula' }, 201)]
const body = { type: 'card', data: { number } } as const
const url = 'http://vault.test/tokens'

function recorder(logLevel?: LogLevel) {
  const lines: string[] = []
  const events: unknown[] = []
  const write = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const logger: Logger = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
  }
  const note = (name: string) => (event: object) => void events.push({ name, ...event })
  const options: Partial<SurrogateOptions> = {
    logger,
    logLevel,
    onRequest: note('request'),
    onResponse: note('response'),
    onRetry: note('retry'),
  }
  return { lines, events, options }
}

t.test('hooks see each attempt', async t => {
  const { events, options } = recorder()
  await fakeClient(answers, options).surrogate.tokens.create(body)
  const event = { operation: 'tokens.create', method: 'POST', url }
  t.same(events, [
    { name: 'request', ...event, retries: 0 },
    { name: 'retry', ...event, retries: 0, reason: 'ConnectionError', waitMs: 500 },
    { name: 'request', ...event, retries: 1 },
    {
      name: 'response',
      ...event,
      retries: 1,
      status: 503,
      traceId: 'trace-1',
      durationMs: 0,
      warning: null,
    },
    { name: 'retry', ...event, retries: 1, reason: 'ServiceUnavailableError', waitMs: 1000 },
    { name: 'request', ...event, retries: 2 },
    {
      name: 'response',
      ...event,
      retries: 2,
      status: 201,
      traceId: undefined,
      durationMs: 0,
      warning: null,
    },
  ])
})

const linesOf: [LogLevel, string[]][] = [
  ['off', []],
  ['error', ['error ConnectionError']],
  ['warn', ['error ConnectionError', 'warn ConnectionError, retry 1', 'warn 503', 'warn Service']],
  ['info', ['error', 'warn', 'warn', 'warn', 'info 201']],
  ['debug', ['debug sent', 'error', 'warn', 'debug sent', 'warn', 'warn', 'debug sent', 'info']],
]
for (const [level, expected] of linesOf) {
  t.test(`the log level ${level}`, async t => {
    const { lines, options } = recorder(level)
    await fakeClient(answers, options).surrogate.tokens.create(body)
    const short = lines.map(line => line.replace(`surrogate: POST ${url}: `, ''))
    t.match(
      short,
      expected.map(start => new RegExp(`^${start}`)),
    )
    t.equal(short.length, expected.length)
  })
}

t.test('a logger alone gets warnings; without one nothing is printed', async t => {
  const { lines, options } = recorder()
  await fakeClient(answers, options).surrogate.tokens.create(body)
  t.equal(lines.length, 4)
  const printed = t.capture(console, 'warn')
  const errors = t.capture(console, 'error')
  await fakeClient(answers).surrogate.tokens.create(body)
  t.same(printed(), [])
  t.same(errors(), [])
  await fakeClient(answers, { logLevel: 'warn' }).surrogate.tokens.create(body)
  t.equal(printed().length, 3, 'control: the console is the default logger')
})

t.test('a warning of a development server is logged once, with its operation', async t => {
  const text = 'ignored, as the contract does not name it: metadat; did you mean metadata?'
  const headers = { 'content-type': 'application/json', 'svc-warning': text }
  const warned = () => new Response('{}', { headers })
  const printed = t.capture(console, 'warn')
  const twice = async (options: Partial<SurrogateOptions>) => {
    const { surrogate } = fakeClient(warned, options)
    for (const _ of [1, 2]) await surrogate.tokens.create(body)
    await surrogate.tokens.update('an-id', {})
    return printed().map(({ args }) => args[0])
  }
  const lines = [`surrogate: tokens.create: ${text}`, `surrogate: tokens.update: ${text}`]
  t.same(await twice({}), lines, 'also without a log')
  t.same(await twice({ logLevel: 'warn' }), lines)
  t.same(await twice({ logLevel: 'off' }), [])
  t.same(await twice({ logLevel: 'error' }), [])
  const { lines: logged, events, options } = recorder()
  await twice(options)
  t.same(
    logged,
    lines.map(line => `warn ${line}`),
  )
  t.match(events.at(-1), { name: 'response', warning: text })
  const own = { ...headers, 'svc-warning': '', 'acme-warning': 'a text' }
  const { surrogate } = fakeClient(() => new Response('{}', { headers: own }), { headerPrefix: 'ACME' })
  await surrogate.tokens.get('an-id')
  t.same(printed()[0]?.args, ['surrogate: tokens.get: a text'])
})

t.test('hooks and log lines contain no key, body or query', async t => {
  const { lines, events, options } = recorder('debug')
  const secret = { errors: { 'data.number': [`${number} is bad`] } }
  const { surrogate } = fakeClient([dropped, () => problem(500, 'reactor_runtime', secret)], options)
  await failure(surrogate.reactors.react('an-id', { args: { number } }, { idempotencyKey: 'secret-key' }))
  await failure(surrogate.tokens.list({ metadata: { customer: 'c_1001' } }))
  const shown = JSON.stringify([lines, events])
  t.ok(lines.length > 4 && events.length > 4)
  for (const hidden of [apiKey, number, 'c_1001', 'customer', 'secret-key', 'is bad'])
    t.notMatch(shown, hidden)
})

t.test('what a hook throws rejects the call, once', async t => {
  for (const name of ['onRequest', 'onResponse'] as const) {
    const broken = new Error('a broken hook')
    const { surrogate, sent } = fakeClient(() => json({}), {
      [name]: () => {
        throw broken
      },
    })
    t.equal(await failure<Error>(surrogate.tokens.get('an-id')), broken)
    t.equal(sent.length, name === 'onRequest' ? 0 : 1)
  }
})

t.test('an unknown log level is refused', async t => {
  const options = { apiKey, baseUrl: url, logLevel: 'verbose' as LogLevel }
  t.throws(() => new Surrogate(options), { name: 'TypeError', message: /off,error,warn,info,debug/ })
})
