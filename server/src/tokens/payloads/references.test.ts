import fc from 'fast-check'
import t from 'tap'
import { isTokenId } from '../../contract/formats.ts'
import { MalformedReference, type Reference, readReferences } from './references.ts'

const reference = (id: string, filters = '', whole = false): Reference => ({ ids: [id], filters, whole })

t.test('a text without double braces names nothing', async t => {
  for (const text of [
    '',
    'plain',
    '{ id }',
    '{id}',
    '{% id %}',
    '{"a":{"b":1}}',
    '}}',
    'a }} b',
    '{ { id } }',
  ])
    t.equal(readReferences(text), undefined, text)
})

t.test('texts are read in pieces', async t => {
  const cases: [string, ReturnType<typeof readReferences>][] = [
    ['{{ an-id }}', [reference('an-id')]],
    ['{{an-id}}', [reference('an-id')]],
    ['{{\n an-id\t}}', [reference('an-id')]],
    [' {{ an-id }}', [' ', reference('an-id')]],
    ['a{{ one }}b{{ two }}c', ['a', reference('one'), 'b', reference('two'), 'c']],
    ['{{ one }}{{ two }}', [reference('one'), reference('two')]],
    ['{{ an-id }}}', [reference('an-id'), '}']],
    ['}} {{ an-id }} }}', ['}} ', reference('an-id'), ' }}']],
    ['{{ an-id | upcase }}', [reference('an-id', '| upcase ')]],
    [`{{ an-id|json:'$.a'|last4}}`, [reference('an-id', `|json:'$.a'|last4`)]],
    [`{{ an-id | append: '}}' }}!`, [reference('an-id', `| append: '}}' `), '!']],
    [`{{ an-id | append: "'}}" }}`, [reference('an-id', `| append: "'}}" `)]],
    [`{{ an-id | append: '\\'}}' }}`, [reference('an-id', `| append: '\\'}}' `)]],
    [`{{ an-id | append: '{{ other }}' }}`, [reference('an-id', `| append: '{{ other }}' `)]],
    [`{{ it's | upcase }}`, [reference(`it's`, '| upcase ')]],
    ['{{ "quoted | upcase }}', [reference('"quoted', '| upcase ')]],
    ['{{ a b.c:d, "e" }}', [reference('a b.c:d, "e"')]],
    ['{{ ключ-日本 🗝 }}', [reference('ключ-日本 🗝')]],
    ['{{ data.number }}', [reference('data.number')]],
    ['{{- an-id -}}', [reference('- an-id -')]],
    ['{{  padded  }}', [{ ids: ['padded', ' padded '], filters: '', whole: false }]],
    ['{{ token: an-id }}', [reference('an-id', '', true)]],
    ['{{token:\n an-id| last4 }}', [reference('an-id', '| last4 ', true)]],
    ['{{ token:  padded  }}', [{ ids: ['padded', ' padded '], filters: '', whole: true }]],
    ['{{ token: token: an-id }}', [reference('token: an-id', '', true)]],
    ['{{ token:an-id }}', [reference('token:an-id')]],
    ['{{ token: }}', [reference('token:')]],
    ['{{ tokens: an-id }}', [reference('tokens: an-id')]],
  ]
  for (const [text, pieces] of cases) t.same(readReferences(text), pieces, text)
})

t.test('braces that cannot be read are refused', async t => {
  const cases: [string, RegExp][] = [
    ['{{', /without "}}"/],
    ['{{ an-id', /without "}}"/],
    ['{{ an-id | upcase', /without "}}"/],
    [`{{ an-id | append: 'x }}`, /quote that is not closed/],
    ['{{ an-id }', /single brace/],
    ['{{ an-id } }}', /single brace/],
    ['{{{ an-id }}}', /single brace/],
    ['{{ an {{ other }} id }}', /single brace/],
    ['{{}}', /without a token id/],
    ['{{  }}', /without a token id/],
    ['{{ | upcase }}', /without a token id/],
    ['{{ ab }}', /not a token id/],
    ['{{ a/b/c }}', /not a token id/],
    [`{{ ${'x'.repeat(401)} }}`, /not a token id/],
    ['fine {{ an-id }} and then {{', /without "}}"/],
  ]
  for (const [text, message] of cases) t.throws(() => readReferences(text), { message }, text)
  t.ok(readReferences(`{{ ${'x'.repeat(400)} }}`))
})

t.test('any id can be written, whatever stands around it', async t => {
  const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter(isTokenId)
  const text = fc.string().filter(one => !one.includes('{') && !one.includes('}'))
  fc.assert(
    fc.property(id, text, text, (given, before, after) => {
      const pieces = readReferences(`${before}{{ ${given} }}${after}`) ?? []
      const [found, ...more] = pieces.filter(piece => typeof piece !== 'string')
      t.ok(typeof found === 'object' && found.ids.includes(given))
      t.same(more, [])
      const left = pieces.filter(piece => typeof piece === 'string').join()
      t.equal(left, [before, after].filter(Boolean).join())
    }),
  )
})

t.test('any text at all is read or refused, in time that its length bounds', async t => {
  const crumbs = fc.array(fc.constantFrom('{{', '}}', '{', '}', '|', '"', "'", '\\', ' ', 'abc', '|upcase'))
  fc.assert(
    fc.property(crumbs, parts => {
      const text = parts.join('')
      try {
        const pieces = readReferences(text) ?? [text]
        const written = pieces.map(piece => (typeof piece === 'string' ? piece : piece.filters))
        t.ok(written.every(piece => text.includes(piece)))
      } catch (error) {
        t.ok(error instanceof MalformedReference)
      }
    }),
  )
})
