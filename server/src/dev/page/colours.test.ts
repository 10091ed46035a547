import t from 'tap'
import { partsOf } from './colours.ts'

const coloured = (text: string, isJson?: boolean) => partsOf(text, isJson).filter(([, kind]) => kind)

t.test('names, strings and constants of JSON have a colour each', async t => {
  t.same(coloured('{"a": "4242 true", "b": [1.5, true, null], "c\\"": {}}'), [
    ['"a":', 'name'],
    ['"4242 true"', 'string'],
    ['"b":', 'name'],
    ['1.5', 'constant'],
    ['true', 'constant'],
    ['null', 'constant'],
    ['"c\\"":', 'name'],
  ])
})

t.test('digits within a string belong to it, whatever its quotes', async t => {
  t.same(coloured(`f({ number: '4242 4242', "year": 2030, it: 'it\\'s 1' })`, false), [
    [`'4242 4242'`, 'string'],
    ['"year"', 'string'],
    ['2030', 'constant'],
    [`'it\\'s 1'`, 'string'],
  ])
  t.same(coloured('x = sha256(None, 42)', false), [
    ['None', 'constant'],
    ['42', 'constant'],
  ])
})

t.test('no text is lost', async t => {
  for (const text of ['', 'plain', '{"a":1}', `"open`, `'it' 1 "2"`]) {
    for (const isJson of [true, false])
      t.equal(
        partsOf(text, isJson)
          .map(([part]) => part)
          .join(''),
        text,
      )
  }
})
