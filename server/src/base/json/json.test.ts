import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { Turns } from '../flow/turns.ts'
import { findSyntaxError, JsonError, type JsonValue, parseJson, parseJsonInTurns } from './json.ts'

const refusal = (text: string): JsonError => {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error('was accepted')
}

const deepObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const cases: readonly [name: string, refused: string, path: string, accepted: string][] = [
  ['an integer above 2^53 - 1', '{"a":9007199254740992}', 'a', '{"a":9007199254740991}'],
  ['an integer below -(2^53 - 1)', '{"a":-9007199254740992}', 'a', '{"a":-9007199254740991}'],
  ['an integer written with an exponent', '[1e20]', '0', '[1e15]'],
  ['an integer written as JavaScript does', '[1e+21]', '0', '[1e+15]'],
  ['18 significant digits', '[0.123456789012345678]', '0', '[0.1234567890123456]'],
  ['a decimal near 0.3', '[0.30000000000000001]', '0', '[0.30000000000000004]'],
  ['a number below the smallest', '[4.9e-324]', '0', '[5e-324]'],
  ['a long decimal', '{"a":123456789.123456789012}', 'a', '{"a":123456789.12345679}'],
  ['a number beyond a double', '[1e400]', '0', '[1.5e5]'],
  ['a number that becomes zero', '[1e-400]', '0', '[1e-300]'],
  ['negative zero', '[-0]', '0', '[0]'],
  ['negative zero as a fraction', '[-0.0]', '0', '[0.0]'],
  ['a repeated member', '{"a":1,"b":{"c":1,"c":2}}', 'b.c', '{"a":1,"b":{"c":1,"d":2}}'],
  ['a repeated member, once escaped', '{"a":1,"\\u0061":2}', 'a', '{"a":1,"\\u0062":2}'],
  ['__proto__', '{"a":{"__proto__":{}}}', 'a.__proto__', '{"a":{"proto":{}}}'],
  ['__proto__, escaped', '{"\\u005f_proto__":1}', '__proto__', '{"\\u005f_proto_":1}'],
  ['a lone high surrogate', '["\\ud83d"]', '0', '["\\ud83d\\ude00"]'],
  ['a lone low surrogate', '["\\ude00"]', '0', '["\\u00e9"]'],
  ['a lone surrogate that is not escaped', '["\ud83d"]', '0', '["\ud83d\ude00"]'],
  ['a lone surrogate as a name', '{"\\ud83d":1}', '?', '{"\\ud83d\\ude00":1}'],
  [
    'a repeated member behind blanks',
    '{ "a" : 1 , "b" : 2 , "a" : 3 }',
    'a',
    '{ "a" : 1 , "b" : 2 , "c" : 3 }',
  ],
  ['a repeated empty name', '{"":1,"":2}', '?', '{"":1}'],
  ['a repeated member behind an inner object', '{"a":{"a":1},"a":2}', 'a', '{"a":{"a":1},"b":2}'],
  ['a lone surrogate behind a member', '{"a":1,"\\ud83d":1}', '?', '{"a":1,"\\ud83d\\ude00":1}'],
  ['65 levels', deep(65), '', deep(64)],
  ['65 levels of objects', deepObjects(65), '', deepObjects(64)],
]

t.test('JSON that would be altered is refused with its path, and a similar text is accepted', async t => {
  for (const [name, refused, path, accepted] of cases) {
    t.equal(refusal(refused).path, path, name)
    // Blanks make the text one that is always scanned.
    t.equal(refusal(` ${refused}`).path, path, `${name}, behind a blank`)
    t.same(parseJson(accepted), JSON.parse(accepted), `${name}: control`)
    t.same(parseJson(` ${accepted}`), JSON.parse(accepted), `${name}: control, behind a blank`)
  }
})

t.test('it is refused too if other strings have escapes', async t => {
  for (const [name, refused, path, accepted] of cases.filter(([name]) => !name.startsWith('65 levels'))) {
    const beside = (text: string) => `["\\n",${text}]`
    t.equal(refusal(beside(refused)).path, `1.${path}`, name)
    t.same(parseJson(beside(accepted)), JSON.parse(beside(accepted)), `${name}: control`)
  }
})

t.test('text that is not JSON is refused without repeating it', async t => {
  for (const text of [
    '',
    '{',
    '{"a":}',
    '{"number":"4242424242424242"',
    "{'a':1}",
    '[1,]',
    'nul',
    '01',
    '"a\nb"',
  ]) {
    const error = refusal(text)
    t.match(error.message, /well-formed/)
    t.notMatch(error.message, /4242/)
    t.ok(error.offset >= 0 && error.offset <= text.length, `offset within ${JSON.stringify(text)}`)
  }
})

t.test('names that may be values do not appear in a path', async t => {
  t.equal(refusal('{"4242424242424242":{"a":1,"a":1}}').path, '?.a')
})

t.test('brackets in strings are not nesting', async t => {
  const inside = '['.repeat(100)
  for (const text of [
    `"${inside}"`,
    `["${inside}"]`,
    `["\\"${inside}"]`,
    `["\\\\",["a"],"${inside}\\\\"]`,
    `{"${inside}":1}`,
  ])
    t.same(parseJson(text), JSON.parse(text))
  t.match(refusal(`["\\\\",${deep(65)}]`).message, /nested/, 'a text that ends with an escaped backslash')
  t.match(refusal(`["${inside}`).message, /well-formed/, 'a text without an end')
})

t.test('100,000 members and elements are accepted, and one more is refused', t => {
  const list = (count: number, element: string) => `[${Array(count).fill(element).join(',')}]`
  const pairs = (count: number, pair: string) =>
    `[${`${pair},`.repeat((count - 1) / 2)}${count % 2 ? '0' : '0,0'}]`
  const shapes: [name: string, text: (count: number) => string][] = [
    ['a list', count => list(count, '0')],
    ['an object', count => `{${Array.from({ length: count }, (_, n) => `"k${n}" : 1`).join(',\n')} }`],
    ['empty lists and objects', count => list(count, '[ ]').replace('[ ]', '{ }')],
    ['lists of one', count => pairs(count, '[0]')],
    ['objects of one', count => pairs(count, '{"a":"},{"}')],
  ]
  for (const [name, text] of shapes) {
    t.doesNotThrow(() => parseJson(text(100_000)), name)
    t.match(refusal(text(100_001)).message, /more than 100000 members and elements/, name)
  }
  t.end()
})

t.test('commas and brackets in strings are not counted', async t => {
  const text = `["${',[{'.repeat(200_000)}",[]]`
  t.same(parseJson(text), JSON.parse(text))
})

t.test('endless nesting is refused before it is parsed', async t => {
  const parse = JSON.parse
  let calls = 0
  JSON.parse = (...args) => {
    calls++
    return parse(...args)
  }
  t.teardown(() => {
    JSON.parse = parse
  })
  for (const unit of ['[', '{"a":', '[{"a":', ' [\n', '[1,', '["\\"",'])
    t.match(refusal(unit.repeat(1_000)).message, /nested/, unit)
  t.equal(calls, 0)
})

t.test('a long text is scanned in pieces, with the same outcome', async t => {
  for (const [name, refused, path, accepted] of cases) {
    const long = (text: string) => `[${'"text with\\nescapes",1.25,{"a":null},'.repeat(600)}${text}]`
    const shown = name.startsWith('65') ? '' : `1800.${path}`
    const given = name.startsWith('65') ? refused : long(refused)
    await t.rejects(
      parseJsonInTurns(given, () => undefined),
      { name: 'JsonError', path: shown },
      name,
    )
    if (!name.startsWith('65'))
      t.same(
        await parseJsonInTurns(long(accepted), () => undefined),
        JSON.parse(long(accepted)),
        `${name}: control`,
      )
  }
})

t.test('the scan of a long text lets others go first', async t => {
  let nowMs = 0
  const turns = new Turns(() => (nowMs += 11))
  let others = 0
  let alarm = setImmediate(function next() {
    others++
    alarm = setImmediate(next)
  })
  await parseJsonInTurns(`[${'12,'.repeat(70_000)}0]`, () => turns.pass({ tenant: 'a' }))
  clearImmediate(alarm)
  t.ok(others >= 8, `${others} turns in 200,000 characters`)
})

t.test('other JSON is returned unchanged', async () => {
  const number = fc
    .oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    .filter(value => !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value)))
  const string = fc.string({ unit: 'grapheme' })
  const { value } = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
      { maxDepth: 5 },
      number,
      string,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(
        string.filter(name => name !== '__proto__'),
        tie('value'),
      ),
    ),
  }))
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
      const text = JSON.stringify(json, undefined, indent)
      return isDeepStrictEqual(parseJson(text), JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

t.test('a text is refused or accepted alike with and without the scan for alterations', async () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,24}$/)
  const number = fc
    .tuple(fc.constantFrom('', '-'), digits, fc.stringMatching(/^(\.[0-9]{1,24})?(e[+-]?[0-9]{1,2})?$/))
    .map(parts => parts.join(''))
  const name = fc.constantFrom('"a"', '"1"', '"__proto__"', '"\\u005f_proto__"', '"\\ud800"', '"\\u00e9"')
  const items = fc.array(fc.oneof(number, name, fc.constant('-0')), { maxLength: 3 })
  const members = fc.array(fc.tuple(name, number), { maxLength: 3 })
  const text = fc.oneof(
    items.map(all => `[${all.join(',')}]`),
    members.map(all => `{${all.map(pair => pair.join(':')).join(',')}}`),
    number,
  )
  const isRefused = (json: string) => {
    try {
      parseJson(json)
      return false
    } catch {
      return true
    }
  }
  // A text that begins with a blank is always scanned.
  const isAlike = (json: string) => isRefused(json) === isRefused(` ${json}`)
  fc.assert(fc.property(text, isAlike), { numRuns: 5_000 })
})

t.test('the place is that of the first character that cannot be', async t => {
  for (const [text, at] of [
    ['', 0],
    ['None', 0],
    ['NaN', 0],
    ['undefined', 0],
    ['-Infinity', 1],
    ['nan', 1],
    ['nul', 3],
    ['nulL', 3],
    ['True', 0],
    ['hello', 0],
    ['type=card&data=1', 1],
    ['// a comment\n{}', 0],
    ['{"a":1} // a comment', 8],
    ['{"a":1}}', 7],
    ["{'a':1}", 1],
    ['{a:1}', 1],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['{,', 1],
    ['{"a":1 "b":2}', 7],
    ['[1,]', 3],
    ['[,1]', 1],
    ['[1}', 2],
    ['[1 2]', 3],
    ['01', 1],
    ['+1', 0],
    ['.5', 0],
    ['1.', 2],
    ['1.x', 2],
    ['1e+', 3],
    ['[-]', 2],
    ['0x10', 1],
    ['"a\nb"', 2],
    ['"a\\x"', 3],
    ['"\\u12G4"', 5],
    ['"\\u12', 5],
    ['"a', 2],
    ['\ufeff{}', 0],
    ['\u00a0{}', 0],
    ['[tru]', 4],
    ['truefalse', 4],
  ] as const)
    t.equal(findSyntaxError(text), at, JSON.stringify(text))
})

t.test('any beginning of a document could go on, but not with a control character', async t => {
  const json = fc.jsonValue().map(value => JSON.stringify(value, undefined, 1))
  const cut = fc.tuple(json, fc.nat()).map(([text, at]) => text.slice(0, at % text.length))
  const isRight = (text: string) =>
    findSyntaxError(text) === text.length && findSyntaxError(`${text}\u0007`) === text.length
  t.doesNotThrow(() => fc.assert(fc.property(cut, isRight), { numRuns: 2_000 }))
})
