import t from 'tap'
import { decodeText, decodeUtf8 } from './utf8.ts'

const windows1252 = (text: string) => Buffer.from(text, 'latin1')

t.test('text is UTF-8, and a byte-order mark at its start is skipped', async t => {
  for (const text of ['', 'a', 'é', '€\u{1f600}', '\ufffd', 'a\ufeff']) {
    t.equal(decodeText(Buffer.from(text), 'it'), text)
    t.equal(decodeText(Buffer.from(`\ufeff${text}`), 'it'), text, 'marked')
  }
  t.equal(decodeUtf8(Buffer.from('\ufeffa')), '\ufeffa', 'bytes that are data keep it')
})

t.test('other bytes are refused with the place of the first', async t => {
  for (const [bytes, at] of [
    [windows1252('caf\u00e9'), 3],
    [windows1252('caf\u00e9 au lait'), 3],
    [windows1252('na\u00efve'), 2],
    [windows1252('na\u00ef\u00bfve'), 2],
    [windows1252('\u00ef'), 0],
    [Buffer.concat([Buffer.from('\ufffdé€'), windows1252('\u0093x\u0094')]), 8],
    [Buffer.from([0x22, 0xe2, 0x82, 0x22]), 1],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80]), 1],
    [Buffer.from([0x61, 0xc0, 0xaf]), 1],
    [Buffer.from([0x61, 0xf0, 0x9f, 0x98]), 1],
  ] as const) {
    t.throws(() => decodeText(bytes, 'it'), { name: 'NotUtf8', message: `it is not UTF-8 (at byte ${at})` })
    t.equal(decodeUtf8(bytes), undefined)
  }
})

t.test('UTF-16 is named, with and without a byte-order mark', async t => {
  const little = Buffer.from('{"a":1}', 'utf16le')
  for (const bytes of [little, Buffer.from('\ufeff{}', 'utf16le')]) {
    t.throws(() => decodeText(bytes, 'it'), { message: 'it is UTF-16; it must be UTF-8' })
    t.throws(() => decodeText(Buffer.from(bytes).swap16(), 'it'), {
      message: 'it is UTF-16; it must be UTF-8',
    })
  }
})
