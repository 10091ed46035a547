import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { testRule } from '../../../verify/support/test-rule.ts'
import { LeakFinder } from './finder.ts'
import { decodeRuns } from './runs.ts'

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const named: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What programs write in the place of a text. */
const spellings: Readonly<Record<string, (text: string) => string>> = {
  plain: text => text,
  'a form': text => new URLSearchParams([['', text]]).toString().slice(1),
  'a URL': encodeURIComponent,
  'a URL in lower case': text => encodeURIComponent(text).replace(/%../g, byte => byte.toLowerCase()),
  JSON: text => JSON.stringify(text).slice(1, -1),
  'JSON of Python': text =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[\x7f-\uffff]/g, escapeUnit),
  'JSON of PHP': text =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', '\\/')
      .replace(/[\x7f-\uffff]/g, escapeUnit),
  HTML: text => text.replace(/[&<>"']/g, char => named[char] ?? char),
  'HTML in ASCII': text =>
    text.replace(/[^ -%(-;=?-~]/gu, char => `&#x${char.codePointAt(0)?.toString(16)};`),
  base64: text => Buffer.from(text).toString('base64'),
  'base64 for URLs': text => Buffer.from(text).toString('base64url'),
  hex: text => Buffer.from(text).toString('hex'),
  'hex in upper case': text => Buffer.from(text).toString('hex').toUpperCase(),
  'gzip in base64': text => gzipSync(text).toString('base64'),
  'UTF-16 in base64': text => Buffer.from(`${text} of the customer`, 'utf16le').toString('base64'),
}

/** A text that may be around a leak, apart from it as the parts of a message are. */
const around = fc.string({ unit: 'grapheme', maxLength: 40 })
const word = fc.string({ unit: 'grapheme-ascii', maxLength: 20 })
const long = { minLength: 6, maxLength: 60 }
const plainOf = (text: string) => text.replaceAll(/\\+(?:u....)?|%..|&[^;]*;|[+\0]/g, '')
const value = fc
  .oneof(
    fc.string({ unit: 'grapheme', ...long }),
    fc.string({ unit: 'grapheme-ascii', ...long }),
    fc.string({ unit: fc.constantFrom(...'0123456789'), ...long }),
    fc.string({ unit: fc.constantFrom(...'a %+\\&;"\'/<ß€😀'), ...long }),
  )
  // Of a value that looks escaped itself, what it stands for is compared, which must not be too short.
  .filter(text => text.length <= 200 && plainOf(text).length >= 6 && new Set(plainOf(text)).size > 1)

function find(value: string, text: string) {
  const finder = new LeakFinder()
  finder.add('it', value)
  return finder.find(text, 10)
}

t.test('any value is found in each spelling, and in two within each other, in any text', t => {
  for (const [outer, encode] of Object.entries(spellings)) {
    for (const [inner, spell] of Object.entries(spellings)) {
      const property = fc.property(value, word, around, around, (value, beside, before, after) => {
        const text = `${before} "${encode(`${beside} "${spell(value)}" ${beside}`)}" ${after}`
        const [place] = find(value, text)
        if (!place) throw new Error('not found')
        const { offset, length } = place
        if (offset < 0 || offset + length > text.length || length < 1)
          throw new Error('not a place in the text')
      })
      t.doesNotThrow(() => fc.assert(property, { numRuns: 60 }), `${inner} in ${outer}`)
    }
  }
  t.end()
})

testRule('nothing is found in other texts, however they are spelled', async t => {
  const other = fc.string({ unit: 'grapheme-ascii', maxLength: 300 })
  const rare = fc.uuid()
  for (const encode of Object.values(spellings)) {
    const property = fc.property(rare, other, rare, (value, text, id) =>
      t.same(find(value, `${text} ${encode(`${text} ${id} ${text}`)} ${text}`.replaceAll(value, '')), []),
    )
    fc.assert(property, { numRuns: 50 })
  }
})

t.test('digits are found with spaces, dashes and dots between them, but not as another number', t => {
  for (const separator of [' ', '-', '.', '\u00a0']) {
    const text = ['4242', '4242', '4242', '4241'].join(separator)
    t.match(find('4242424242424241', text), [{ offset: 0, length: 19, spelling: 'separated' }], separator)
    t.match(find(text, '4242424242424241'), [{ offset: 0, length: 16, spelling: 'separated' }])
  }
  t.same(find('123456.78', '12345678'), [], 'a number with a fraction')
  t.equal(find('123456.78', '123456.78').length, 1, 'control')
  t.end()
})

t.test('compressed texts are unpacked up to a bound, whatever they claim', t => {
  const bomb = gzipSync(Buffer.alloc(50_000_000)).toString('base64')
  const budget = { bytes: 1_000_000 }
  decodeRuns(`${bomb} ${bomb}`, budget)
  t.equal(budget.bytes, 0, 'one that is too large takes all that is left')
  t.same(find('a secret', `${bomb} ${bomb}`), [])
  const within = gzipSync(`${'x'.repeat(1_000_000)} a secret`).toString('base64')
  t.match(find('a secret', `"${within}"`), [{ spelling: 'gzip' }])
  t.same(find('a secret', 'H4sIAAAAAAAAA0NotGzip'), [])
  t.end()
})

t.test('the outer spelling is shown', t => {
  const value = 'Zoë "the" & sons'
  for (const [name, shown] of [
    ['a form', 'url'],
    ['JSON of Python', 'json'],
    ['HTML', 'html'],
    ['base64', 'base64'],
    ['hex', 'hex'],
    ['gzip in base64', 'gzip'],
  ] as const) {
    const spell = spellings[name] ?? String
    t.match(find(value, `"${spell(value)}"`), [{ offset: 1, spelling: shown }], name)
    t.equal(find(value, `"${spell(value)}"`).length, 1, `${name}: once`)
  }
  t.match(find(value, `"${Buffer.from(JSON.stringify({ value })).toString('base64')}"`), [
    { spelling: 'base64' },
  ])
  t.match(find('a secret', [...'a secret'].join('\0')), [{ offset: 0, length: 15, spelling: 'utf16' }])
  t.end()
})
