import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { bank, card } from './values.ts'

const says = (expression: string) => `module.exports = async function (req) { return { raw: ${expression} } }`

/** Invokes a formula with these parameters that returns its arguments. */
async function echo(c: Context, request_parameters: readonly object[] = []) {
  const reactor = await c.reactor({ request_parameters, code: says('{ args: req.args }') })
  return (args: unknown) => c.react(reactor, { args })
}
/** Returns the arguments that reach the formula. */
const reaching = async (c: Context, send: (args: unknown) => ReturnType<Context['react']>, args: unknown) =>
  c.success(await send(args), 200, 'an invocation').body?.raw?.args

/** Specification, sections 2.6, 2.8 and 4.4: invocations. */
export const invocationCases = cases({
  'INV-001.a: the formula runs on the arguments, and its raw output is returned': async c => {
    const code = says('{ sum: req.args.a + req.args.b, text: req.args.text }')
    c.equal(await c.ran({ code }, { a: 1, b: 2, text: c.tag }), { sum: 3, text: c.tag }, 'raw')
  },
  'INV-001.b: an invocation waits for the asynchronous work of the formula': async c => {
    const code =
      'module.exports = async req => { const a = await Promise.resolve(req.args.a); return { raw: { a } } }'
    c.equal(await c.ran({ code }, { a: c.tag }), { a: c.tag }, 'raw')
  },
  'INV-002.a: the tokenize output of the formula becomes tokens that can be read': async c => {
    const code = `module.exports = async req => ({
        tokenize: { one: { type: 'token', data: req.args.run, metadata: { run: req.args.run } } } })`
    const reactor = await c.reactor({ code })
    const { tokens } = c.success(await c.react(reactor, { args: { run: c.tag } }), 200).body
    const listed = await c.get(`/tokens?metadata.run=${c.tag}`, c.asPrivate)
    c.equal(c.ids(listed).length, 1, 'tokens stored')
    c.equal(listed.data[0].data, c.tag, 'data of what was stored')
    const [id = 'no id'] = c.ids(listed)
    c.ok(JSON.stringify(tokens ?? null).includes(id), `the answer has the id ${id}`, tokens)
  },
  'INV-027.a: a formula can return raw and tokenize together': async c => {
    const code = `module.exports = async req => ({ raw: { n: 1 },
        tokenize: { one: { type: 'token', data: 'x', metadata: { run: req.args.run } } } })`
    const reactor = await c.reactor({ code })
    const { raw, tokens } = c.success(await c.react(reactor, { args: { run: c.tag } }), 200).body
    c.equal(raw, { n: 1 }, 'raw')
    c.ok(tokens, 'there are tokens', tokens)
    const listed = await c.get(`/tokens?metadata.run=${c.tag}`, c.asPrivate)
    c.equal(c.ids(listed).length, 1, 'tokens stored')
  },
  'INV-006.a: the formula gets the raw data of the token instead of an expression': async c => {
    const { id } = await c.token({ data: `secret ${c.tag}`, mask: 'X' })
    c.equal(await reaching(c, await echo(c), { value: `{{ ${id} }}` }), { value: `secret ${c.tag}` }, 'args')
  },
  'INV-007.a: expressions and plaintext can be mixed at any depth': async c => {
    const { id } = await c.token({ data: c.tag })
    const args = { plain: 'p', deep: { list: [1, `{{${id}}}`], flag: true } }
    const expected = { plain: 'p', deep: { list: [1, c.tag], flag: true } }
    c.equal(await reaching(c, await echo(c), args), expected, 'args')
  },
  'INV-008.a: a card and a bank account reach the formula as objects': async c => {
    const [one, two] = [
      await c.token({ type: 'card', data: card }),
      await c.token({ type: 'bank', data: bank }),
    ]
    const args = await reaching(c, await echo(c), { card: `{{ ${one.id} }}`, bank: `{{ ${two.id} }}` })
    c.matches(args, { card, bank }, 'args')
  },
  'INV-009.a: an invocation with 100 tokens is accepted, one with 101 refused': async c => {
    const tokens = await Promise.all(Array.from({ length: 101 }, (_, n) => c.token({ data: n })))
    const all = tokens.map(({ id }) => `{{ ${id} }}`)
    const send = await echo(c)
    await c.refuses(400, list => send({ list }), all.slice(0, 100), { '101 tokens': all })
  },
  'INV-010.a: a card supplies several declared parameters': async c => {
    const { id } = await c.token({ type: 'card', data: card })
    const send = await echo(c, [
      { name: 'card.number', type: 'string' },
      { name: 'card.expiration_month', type: 'number' },
    ])
    const args = await reaching(c, send, { card: `{{ ${id} }}` })
    const { number, expiration_month } = args?.card ?? {}
    c.equal(
      { number, expiration_month },
      { number: card.number, expiration_month: 12 },
      'members of the card',
    )
  },
  'INV-011.a: an argument whose name differs in case does not supply the parameter': async c =>
    c.refuses<object>(
      { status: 400 },
      await echo(c, [{ name: 'Amount', type: 'number' }]),
      { Amount: 1 },
      {
        'another case': { amount: 1 },
      },
    ),
  'INV-012.a: an invocation without a required parameter is 400': async c =>
    c.refuses<unknown>(
      { status: 400 },
      await echo(c, [
        { name: 'a', type: 'number' },
        { name: 'b.c', type: 'string' },
      ]),
      { a: 1, b: { c: 'x' } },
      {
        'one missing': { a: 1 },
        'a nested one missing': { a: 1, b: {} },
        'no arguments': {},
        'no args': undefined,
      },
    ),
  'INV-026.a: an optional parameter can be left out, and is converted if present': async c => {
    const send = await echo(c, [{ name: 'a', type: 'number', optional: true }])
    c.equal(await reaching(c, send, {}), {}, 'args without it')
    c.equal(await reaching(c, send, { a: '1' }), { a: 1 }, 'args with it')
  },
  'INV-013.a: strings, numbers and booleans are converted to the declared types': async c => {
    const send = await echo(c, [
      { name: 'n', type: 'number' },
      { name: 'b', type: 'boolean' },
      { name: 's', type: 'string' },
    ])
    c.equal(
      await reaching(c, send, { n: '123', b: 'true', s: 12 }),
      { n: 123, b: true, s: '12' },
      'cast args',
    )
    c.equal(
      await reaching(c, send, { n: 1.5, b: false, s: 'x' }),
      { n: 1.5, b: false, s: 'x' },
      'args of the types',
    )
  },
  'INV-014.a: a value that cannot be converted is 400': async c => {
    const number = await echo(c, [{ name: 'v', type: 'number' }])
    const boolean = await echo(c, [{ name: 'v', type: 'boolean' }])
    const text = await echo(c, [{ name: 'v', type: 'string' }])
    const as = (send: typeof number) => (v: unknown) => send({ v })
    await c.refuses<unknown>({ status: 400 }, as(number), '12', {
      'a word': 'twelve',
      'an object': { a: 1 },
    })
    await c.refuses<unknown>({ status: 400 }, as(boolean), 'true', { 'a word': 'maybe', 'a list': [true] })
    c.success(await text({ v: 'x' }), 200, 'a string')
    // A server may regard JSON as the conversion of an object.
    const object = await text({ v: { a: 1 } })
    c.surrogate(() => c.status(object, 400, 'an object for a string'))
  },
  'INV-015.a: the data of a token is converted, not the expression': async c => {
    const [{ id }, { id: word }] = [await c.token({ data: '42' }), await c.token({ data: 'forty' })]
    const send = await echo(c, [{ name: 'n', type: 'number' }])
    c.equal(await reaching(c, send, { n: `{{ ${id} }}` }), { n: 42 }, 'args')
    c.status(await send({ n: `{{ ${word} }}` }), 400, 'data that cannot be cast')
  },
  'INV-016.a: undeclared arguments do not reach a formula that declares some': async c => {
    const send = await echo(c, [{ name: 'a', type: 'string' }])
    c.equal(await reaching(c, send, { a: 'x', b: 'y', c: { d: 1 } }), { a: 'x' }, 'args')
  },
  'INV-017.a: all arguments reach a formula that declares none': async c => {
    const args = { a: 'x', b: { c: [1, null, true] } }
    c.equal(await reaching(c, await echo(c), args), args, 'args')
  },
  'INV-025.a: a parameter with a dot is a member of a nested object and converted there': async c => {
    const send = await echo(c, [{ name: 'order.total', type: 'number' }])
    c.equal(await reaching(c, send, { order: { total: '10' } }), { order: { total: 10 } }, 'args')
    c.status(await send({ order: { total: 'ten' } }), 400, 'a value that cannot be cast')
  },
  'INV-018.a: the formula gets the configuration of its reactor': async c => {
    const configuration = { KEY: c.tag, LIMIT: 5, ON: true }
    const reactor = await c.reactor(
      {
        code: says('req.configuration'),
        configuration: [
          { name: 'KEY', type: 'string' },
          { name: 'LIMIT', type: 'number' },
          { name: 'ON', type: 'boolean' },
        ],
      },
      { configuration },
    )
    c.equal(c.success(await c.react(reactor, { args: {} }), 200).body?.raw, configuration, 'configuration')
  },
  'INV-021.a: a formula that throws causes an error, one that does not is a success': async c => {
    const reactor = await c.reactor({ code: "module.exports = async () => { throw new Error('no') }" })
    const { status } = await c.react(reactor, { args: {} })
    c.ok(status >= 400 && status <= 599, 'it is an error', status)
    c.surrogate(() => c.equal(status, 500, 'status of an error that was thrown'))
    c.equal(await c.ran({ code: says('{ n: 1 }') }, {}), { n: 1 }, 'raw of a formula that does not')
  },
})
