import t from 'tap'
import { dropped, failure, fakeClient, json, page, problem } from '../testing/fakes.ts'
import type { Surrogate } from './index.ts'

type Use = (surrogate: Surrogate) => Promise<unknown>

/** Every kind of call. Each awaits within a function of its own, which is the caller. */
const uses: Readonly<Record<string, Use>> = {
  get: async function caller(s) {
    await s.tokens.get('an-id')
  },
  create: async function caller(s) {
    await s.tokens.create({ type: 'token', data: 1 })
  },
  list: async function caller(s) {
    await s.tokens.list({ metadata: { a: 'b' } })
  },
  search: async function caller(s) {
    await s.tokens.search({ query: 'type:card' })
  },
  'another list': async function caller(s) {
    await s.logs.list()
  },
  react: async function caller(s) {
    await s.reactors.react('an-id', { args: {} })
  },
  tokenize: async function caller(s) {
    await s.tokenize({ a: 1 })
  },
  'for await': async function caller(s) {
    for await (const _ of s.tokens.list());
  },
  'for await of a search': async function caller(s) {
    for await (const _ of s.tokens.search({ query: 'type:card' }));
  },
  toArray: async function caller(s) {
    await s.reactors.list().toArray({ limit: 10 })
  },
  withResponse: async function caller(s) {
    await s.tokens.get('an-id').withResponse()
  },
  'withResponse of a list': async function caller(s) {
    await s.tokens.list().withResponse()
  },
  'withResponse of react': async function caller(s) {
    await s.reactors.react('an-id', { args: {} }).withResponse()
  },
  'with options': async function caller(s) {
    await s.withSession('another-key').tokens.list({}, { traceId: 'a' })
  },
}

const refuse = () => problem(403, 'permission_denied')
const hang = () => new Promise<never>(() => {})

for (const [what, use] of Object.entries(uses)) {
  t.test(`the stack of an error has the line of the caller: ${what}`, async t => {
    for (const [name, surrogate] of [
      ['PermissionError', fakeClient(refuse).surrogate],
      ['PermissionError', fakeClient([dropped, refuse]).surrogate],
      ['ConnectionError', fakeClient(dropped, { maxRetries: 0 }).surrogate],
      ['TimeoutError', fakeClient(hang, { maxRetries: 0, timeout: 1 }).surrogate],
    ] as const) {
      const error = await failure<Error>(use(surrogate))
      t.equal(error.name, name)
      t.match(error.stack, /\bcaller\d* .*stacks\.test/, name)
    }
  })
}

t.test('a later page, too, and an argument that is invalid', async t => {
  const item = (id: string) => [{ id }]
  const { surrogate } = fakeClient([() => page(item('a'), 4), refuse], { maxRetries: 0 })
  async function caller() {
    for await (const _ of surrogate.tokens.list());
  }
  t.match((await failure<Error>(caller())).stack, /\bcaller\d* .*stacks\.test/)
  const fine = fakeClient(() => json({})).surrogate
  for (const invalid of [
    async function caller() {
      await fine.tokens.list({ id: [] })
    },
    async function caller() {
      for await (const _ of fine.tokens.search({ query: 'a:b', size: Number.NaN }));
    },
    async function caller() {
      await fine.tokens.search({ query: 'a:b' }, { timeot: 1 } as never)
    },
    async function caller() {
      await fine.reactors.react('', { args: {} })
    },
  ]) {
    const error = await failure<Error>(invalid())
    t.equal(error.name, 'TypeError')
    t.match(error.stack, /\bcaller\d* .*stacks\.test/)
  }
})
