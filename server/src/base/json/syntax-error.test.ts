import fc from 'fast-check'
import t from 'tap'
import { findSyntaxError } from './syntax-error.ts'

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
