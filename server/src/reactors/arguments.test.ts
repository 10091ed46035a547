import fc from 'fast-check'
import t from 'tap'
import { echo, makeToken, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, type TestTenant } from '../../verify/support/vault.ts'
import { ServiceError } from '../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import type { RequestParameterDefinition } from '../contract/types.ts'
import { fitArguments } from './arguments.ts'

const vault = openReactors(t)
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2090 }

/** Tokens that rows speak of as `{{ card }}` and so on. */
async function setUp(): Promise<{ tenant: TestTenant; fill: (value: JsonValue) => JsonValue }> {
  const tenant = await openTenant(vault)
  const ids = {
    card: await makeToken(tenant, { type: 'card', data: card }),
    number: await makeToken(tenant, { data: '123' }),
    text: await makeToken(tenant, { data: 'some text' }),
    object: await makeToken(tenant, { data: { a: { b: '7' }, c: [1, null], 'x.y': 'dotted' } }),
    braces: await makeToken(tenant, { data: '{{ number }}' }),
    list: await makeToken(tenant, { data: [1, 2] }),
    truth: await makeToken(tenant, { data: 'TRUE' }),
  }
  const fill = (value: JsonValue): JsonValue => {
    const text = JSON.stringify(value).replaceAll(/\{\{ (\w+)/g, (whole, name) => {
      return name in ids ? `{{ ${ids[name as keyof typeof ids]}` : whole
    })
    return JSON.parse(text)
  }
  return { tenant, fill }
}

const string = (name: string) => ({ name, type: 'string' })
const optional = (name: string, type = 'string') => ({ name, type, optional: true })
const number = (name: string) => ({ name, type: 'number' })
const boolean = (name: string) => ({ name, type: 'boolean' })

/** The rule shown, the declared parameters, the arguments sent, and those that the formula sees or the refusal. */
type Row = readonly [
  rule: string,
  parameters: readonly JsonObject[],
  args: JsonValue | undefined,
  outcome: JsonValue | { readonly refused: string },
]

const rows: readonly Row[] = [
  // Rule 3
  ['3: args may mix plaintext with expressions', [], { a: 1, b: '{{ number }}' }, { a: 1, b: '123' }],
  ['3: an expression is a token id in double braces', [], { a: '{ number }' }, { a: '{ number }' }],
  ['3: in any depth', [], { a: [{ b: ['{{ text }}'] }] }, { a: [{ b: ['some text'] }] }],
  ['3: inside text', [], { a: 'is {{ number }}, {{ text }}!' }, { a: 'is 123, some text!' }],
  ['3: the raw data, with its JSON type', [], { a: '{{ list }}' }, { a: [1, 2] }],
  ['3: a complex token injects its whole JSON data', [], { a: '{{ card }}' }, { a: card }],
  ['3: and inside text its JSON', [], { a: '={{ list }}' }, { a: '=[1,2]' }],
  ['3: filters apply', [], { a: "{{ card | json: '$.number' }}" }, { a: card.number }],
  ['3: args may itself be one expression', [], '{{ card }}', card],
  ['3: that gives an object', [], '{{ number }}', { refused: 'args' }],
  ['3: or a list, without parameters', [], '{{ list }}', [1, 2]],
  ['3: and with parameters an object', [optional('a')], '{{ list }}', { refused: 'args' }],
  ['args may be a list, without parameters', [], [1, { a: '{{ number }}' }], [1, { a: 123 }]],
  ['and with parameters an object', [optional('a')], [1], { refused: 'args' }],
  ['also an empty list', [], [], []],
  ['3: and is not mere text', [], 'text', { refused: 'args' }],
  ['3: text out of a token is not read again', [], { a: '{{ braces }}' }, { a: '{{ number }}' }],
  ['3: malformed braces are refused', [], { a: { b: '{{ number' } }, { refused: 'args.a.b' }],
  ['3: names of members are not expressions', [], { '{{ no-token }}': 1 }, { '{{ no-token }}': 1 }],
  ['no args are an empty object', [], undefined, {}],
  ['null args are an empty object', [], null, {}],

  // Rule 5
  ['5: validation runs after detokenization', [number('a')], { a: '{{ number }}' }, { a: 123 }],
  [
    '5: so one complex token may supply several parameters',
    [string('card.number'), number('card.expiration_month')],
    { card: '{{ card }}' },
    { card: { number: card.number, expiration_month: 12 } },
  ],
  ['5: at the top as well', [string('number')], '{{ card }}', { number: card.number }],

  // Rule 6
  [
    '6: a parameter is validated when a key matches its name',
    [number('a')],
    { a: 'x' },
    { refused: 'args.a' },
  ],
  ['6: case-sensitive', [optional('a', 'number')], { A: 'x' }, {}],
  ['6: and so a required one is missing', [number('a')], { A: '1' }, { refused: 'args.a' }],
  [
    '6: nested parameters use dotted names',
    [number('a.b.c')],
    { a: { b: { c: '1' } } },
    { a: { b: { c: 1 } } },
  ],
  ['6: or a key that is spelled so, and stays', [number('a.b')], { 'a.b': '1' }, { 'a.b': 1 }],
  ['6: or partly so', [number('a.b.c')], { 'a.b': { c: '1' } }, { 'a.b': { c: 1 } }],
  ['6: or the other way round', [number('a.b.c')], { a: { 'b.c': '1' } }, { a: { 'b.c': 1 } }],
  [
    '6: both spellings at once are both it',
    [number('a.b')],
    { a: { b: '1' }, 'a.b': '2' },
    { a: { b: 1 }, 'a.b': 2 },
  ],
  ['6: a dotted key out of a token', [string('o.x.y')], { o: '{{ object }}' }, { o: { 'x.y': 'dotted' } }],
  ['6: a list has no members to name', [string('a.0')], { a: ['x'] }, { refused: 'args.a.0' }],

  // Rule 7
  ['7: what is not optional must be there', [string('a'), string('b')], { a: '1' }, { refused: 'args.b' }],
  ['7: with no args at all', [string('a')], undefined, { refused: 'args.a' }],
  ['7: null is missing', [string('a')], { a: null }, { refused: 'args.a' }],
  ['7: a nested one', [string('a.b')], { a: {} }, { refused: 'args.a.b' }],
  [
    '7: a nested one below a value that is not an object',
    [string('a.b')],
    { a: 'x' },
    { refused: 'args.a.b' },
  ],
  ['7: what is optional may be left out', [string('a'), optional('b')], { a: '1' }, { a: '1' }],
  ['7: and null leaves it out', [optional('b')], { b: null }, {}],
  ['7: an empty text is there', [string('a')], { a: '' }, { a: '' }],
  ['7: false and 0 are there', [boolean('a'), number('b')], { a: false, b: 0 }, { a: false, b: 0 }],

  // Rule 8
  ['8: text to number', [number('a')], { a: '123' }, { a: 123 }],
  ['8: text to number, with sign, fraction and exponent', [number('a')], { a: '-1.5e2' }, { a: -150 }],
  ['8: a number stays one', [number('a')], { a: 1.5 }, { a: 1.5 }],
  ...['', ' 1', '1 ', '+1', '0x10', '01', '1.', '.5', '1,5', 'NaN', 'Infinity', '1e999', '--1'].map(
    (a): Row => [`8: no number: "${a}"`, [number('a')], { a }, { refused: 'args.a' }],
  ),
  ['8: nor one that would be altered', [number('a')], { a: '9007199254740993' }, { refused: 'args.a' }],
  ['8: the greatest that is not', [number('a')], { a: '9007199254740991' }, { a: 9007199254740991 }],
  ...[true, [], {}, [1]].map(
    (a): Row => [`8: no number: ${JSON.stringify(a)}`, [number('a')], { a }, { refused: 'args.a' }],
  ),
  [
    '8: text to boolean, in any case',
    [boolean('a'), boolean('b')],
    { a: '{{ truth }}', b: 'false' },
    { a: true, b: false },
  ],
  ...['yes', '1', '', ' true', 1, 0, [], {}].map(
    (a): Row => [`8: no boolean: ${JSON.stringify(a)}`, [boolean('a')], { a }, { refused: 'args.a' }],
  ),
  ['8: number and boolean to text', [string('a'), string('b')], { a: 1.5, b: true }, { a: '1.5', b: 'true' }],
  ...[[], {}, ['x']].map(
    (a): Row => [`8: no text: ${JSON.stringify(a)}`, [string('a')], { a }, { refused: 'args.a' }],
  ),
  ['8: an optional one is cast, too', [optional('a', 'number')], { a: '1' }, { a: 1 }],
  ['8: and refused', [optional('a', 'number')], { a: 'x' }, { refused: 'args.a' }],
  [
    '8: casting happens after detokenization',
    [string('a.b'), number('d.b')],
    { a: '{{ object | json: "$.a" }}', d: '{{ object | json: "$.a" }}' },
    { a: { b: '7' }, d: { b: 7 } },
  ],

  // Rule 9
  ['9: undeclared args are removed', [string('a')], { a: '1', b: '{{ text }}' }, { a: '1' }],
  ['9: at every depth', [string('a.b')], { a: { b: '1', c: { d: 1 } }, e: [] }, { a: { b: '1' } }],
  ['9: and not validated', [optional('a')], { b: { c: [null] } }, {}],
  [
    '9: a whole object is not declared by its member',
    [string('a.b'), optional('c')],
    { a: { b: '1', x: 1 } },
    { a: { b: '1' } },
  ],
  [
    '9: without parameters all is forwarded',
    [],
    { a: { b: null }, c: [1, '{{ number }}'] },
    { a: { b: null }, c: [1, '123'] },
  ],
  [
    '9: names of the language are mere names',
    [string('constructor'), optional('a.toString')],
    { constructor: 'x', toString: 'y' },
    { constructor: 'x' },
  ],
]

t.test('a row for each sentence', async t => {
  const { tenant, fill } = await setUp()
  for (const [rule, parameters, args, outcome] of rows) {
    const react = await reactorOn(tenant, echo, { formula: { request_parameters: [...parameters] } })
    const reply = await react(args === undefined ? {} : { args: fill(args) })
    if (isJsonObject(outcome) && typeof outcome.refused === 'string') {
      t.match(reply, { status: 400, json: { type: /validation/ } }, rule)
      t.same(Object.keys(reply.json.errors ?? {}), [outcome.refused], rule)
    } else {
      t.equal(reply.status, 200, `${rule}: ${reply.text}`)
      t.same(reply.json?.raw?.args, outcome, rule)
    }
  }
})

t.test('4: a hundred different tokens, however often each is named', async t => {
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, 'module.exports = req => ({ raw: req.args.a.length })')
  const { json } = await tenant.send(
    'POST',
    '/tokenize',
    Array.from({ length: 100 }, (_, index) => `v${index}`),
  )
  const more = await makeToken(tenant, { data: 'one more' })
  const all = json.map((id: string) => `{{ ${id} }}`)
  t.match(await react({ args: { a: [...all, ...all] } }), { status: 200, json: { raw: 200 } })
  const refused = await react({ args: { a: [...all, `{{ ${more} }}`] } })
  t.match(refused, { status: 400, json: { errors: { args: [/100/] } } })
})

t.test('every id without a token is named', async t => {
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, echo)
  const there = await makeToken(tenant, { data: 1 })
  const elsewhere = await makeToken(await openTenant(vault), { data: 1 })
  const reply = await react({ args: { a: `{{ ${there} }}`, b: '{{ gone-1 }}', c: [`x {{ ${elsewhere} }}`] } })
  t.match(reply, { status: 400, json: { type: /detokenize_failed/ } })
  t.equal(reply.json.detail, `Failed to detokenize some tokens: gone-1, ${elsewhere}`)
})

t.test('1: token:use is asked for each container of each token', async t => {
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, echo)
  const rule = (container: string, permission: string) => ({
    priority: container.length,
    container,
    transform: 'redact',
    permissions: [permission],
  })
  const user = await tenant.application({
    rules: [rule('/mine/', 'token:use'), rule('/yours/a/', 'token:read')],
  })
  const reader = await tenant.application({ permissions: ['token:read'] })
  const mine = await makeToken(tenant, { data: 'secret', containers: ['/mine/a/'] })
  const both = await makeToken(tenant, { data: 'secret', containers: ['/mine/', '/yours/a/'] })
  const use = (as: TestTenant['send'], id: string) => as('POST', react.path, { args: { a: `{{ ${id} }}` } })
  t.match(
    await use(user, mine),
    { status: 200, json: { raw: { args: { a: 'secret' } } } },
    'raw, whatever the transform',
  )
  t.match(await use(user, both), { status: 403, json: { type: /permission_denied/ } })
  t.equal((await reader('POST', react.path, {})).status, 403, 'nothing without token:use anywhere')
  t.equal((await user('POST', react.path, {})).status, 200)
  t.equal((await tenant.asPublic('POST', react.path, {})).status, 403)
  t.equal((await tenant.asManagement('POST', react.path, {})).status, 403)
})

t.test('2: five megabytes, and no more', async t => {
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, 'module.exports = req => ({ raw: req.args.a.length })')
  const body = (bytes: number) => {
    const around = '{"args":{"a":""}}'.length
    return { raw: `{"args":{"a":"${'x'.repeat(bytes - around)}"}}` }
  }
  const most = 5 * 1024 * 1024
  const headers = { 'Content-Type': 'application/json' }
  t.match(await react(body(most), headers), { status: 200, json: { raw: most - 17 } })
  t.match(await react(body(most + 1), headers), { status: 413, json: { type: /payload_too_large/ } })
})

t.test('no arguments take long to fit', async t => {
  const name = (length: number) => Array(length).fill('a').join('.')
  const parameters = Array.from({ length: 25 }, (_, index) => {
    return { name: `${name(95)}.p${index}`, type: 'string', optional: true } as const
  })
  // Every object has every beginning of the names as a key.
  const wide = (depth: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [name(index + 1), depth > 0 ? wide(depth - 1) : {}]),
    )
  const args = wide(2)
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]))
  fitArguments(parameters, args)
  t.same(fitArguments(parameters, many), {})
})

/** Only declared arguments that are present reach the formula. */
t.test('any arguments at all fit, or are refused', async t => {
  const key = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'constructor', 'toString', 'x')
  const { args } = fc.letrec<{ value: JsonValue; args: JsonObject }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>('1', 'true', 'x', 1, true, null, [1]),
      tie('args'),
    ),
    args: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  }))
  const definitions = fc
    .uniqueArray(
      fc.tuple(
        fc.constantFrom('a', 'b', 'a.b', 'a.b.a', 'b.a', 'constructor'),
        fc.constantFrom('string', 'number', 'boolean'),
        fc.boolean(),
      ),
      {
        selector: ([name]) => name,
        minLength: 1,
      },
    )
    .map(all => all.map(([name, type, optional]) => ({ name, type, optional }) as RequestParameterDefinition))
  const leaves = (value: JsonValue, path: string): [string, JsonValue][] =>
    isJsonObject(value)
      ? Object.entries(value).flatMap(([name, member]) => leaves(member, path ? `${path}.${name}` : name))
      : [[path, value]]
  fc.assert(
    fc.property(definitions, args, (parameters, given) => {
      let fitted: ReturnType<typeof fitArguments>
      try {
        fitted = fitArguments(parameters, given)
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        const named = Object.keys(error.errors ?? {}).map(path => path.replace(/^args\./, ''))
        t.ok(named.length > 0 && named.every(name => parameters.some(one => one.name === name)))
        return
      }
      for (const [path, value] of leaves(fitted, '')) {
        const declared = parameters.find(({ name }) => name === path)
        t.ok(declared && typeof value === declared.type, `${path} is declared, and of its type`)
      }
      const there = new Set(leaves(fitted, '').map(([path]) => path))
      for (const { name, optional } of parameters) t.ok(optional || there.has(name), `${name} is there`)
    }),
  )
})
