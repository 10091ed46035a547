import { Console } from 'node:console'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { openTenant, sender, type TestTenant } from '../../../verify/support/vault.ts'
import { withoutIds } from '../../../verify/support/without-ids.ts'
import { type DevLeakWatch, hearConsoleOf } from '../../generated/dev-client/index.ts'
import { devsOf, number, openDev } from '../_dev.ts'
import { LeakFinder } from './finder.ts'

const name = 'Zoë "the" O\'Neil & sons'
const note = 'a secret of the customer'

async function fill(tenant: TestTenant) {
  for (const [id, type, data] of [
    ['the-card', 'card', { number, expiration_month: 12, expiration_year: 2030 }],
    ['the-name', 'token', { nested: [{ name }] }],
    ['the-note', 'token', note],
    ['the-short', 'token', 'short'],
    ['the-same', 'token', 'aaaaaaaaaa'],
    ['the-number', 'token', 98765432],
  ] as const) {
    const { status, text } = await tenant.send('POST', '/tokens', { id, type, data } as never)
    if (status !== 201) throw new Error(text)
  }
}

/** Opens a tenant that has values to search for. */
async function openFilled(t: Parameters<typeof openDev>[0]) {
  const { vault, tenant, dev } = await openDev(t)
  await fill(tenant)
  return { vault, tenant, leaks: dev.leaks }
}

const placesOf = async (watch: DevLeakWatch) => (await watch.end()).places

t.test('places are lines and columns, also where a text is sent in parts', async t => {
  const { vault, tenant } = await openFilled(t)
  const filler = `${'x'.repeat(99)}\n`.repeat(3400)
  for (const [where, { leaks }] of await devsOf(vault, tenant)) {
    // Around the end of the first part, and of what is sent again.
    for (let before = 335_980; before < 336_020; before += 5) {
      const text = `${filler.slice(0, before)}${number}\n${filler}${'é'}${number}`
      const { places } = await leaks.find(text)
      const lines = text.split('\n')
      t.same(
        places.map(({ line, column }) => lines[line - 1]?.slice(column - 1, column - 1 + number.length)),
        [number, number],
        `${where} ${before}`,
      )
    }
    const bytes = Buffer.from(`${filler}é${number}`)
    const cut = bytes.indexOf('é') + 1
    const parts = (async function* () {
      yield bytes.subarray(0, cut)
      yield bytes.subarray(cut)
    })()
    t.match((await leaks.find(parts)).places, [{ line: 3401, column: 2, tokenId: 'the-card' }])
  }
  const { leaks } = vault.dev.forTenant(tenant)
  const { places, values, skipped } = await leaks.find('short aaaaaaaaaa 12 2030')
  t.same([places, values, skipped], [[], 4, 4], 'short and repeated values are left out, and counted')
})

t.test('a search that could not find anything fails, unless silence is right', async t => {
  const { tenant, dev } = await openDev(t)
  const { leaks } = dev
  const stream = new PassThrough()
  const watchOf = async (write: string, options = {}) => {
    const watch = leaks.watch(stream, options)
    if (write) stream.write(write)
    return watch.end()
  }
  const failure = { name: 'AssertionError', code: 'ERR_ASSERTION' }
  await t.rejects(watchOf('something'), { ...failure, message: /no value to search for.*allowSilence/s })
  t.match(await watchOf('something', { allowSilence: true }), { values: 0, searched: 9 })
  await fill(tenant)
  t.match(await watchOf('something'), { places: [], values: 4, searched: 9 }, 'control')
  await t.rejects(watchOf(''), { ...failure, message: /nothing was written.*allowSilence/s })
  await t.rejects(leaks.find(''), { ...failure, message: /nothing was written/ })
  t.match(await watchOf('', { allowSilence: true }), { places: [], searched: 0 })
})

t.test('with the output of the process a watch hears consoles, which test runners replace', async t => {
  const { leaks } = await openFilled(t)
  const printed: unknown[] = []
  const runner = {
    log: (...args: unknown[]) => printed.push(args),
    error: (_: unknown) => printed.push('error'),
  }
  t.intercept(globalThis, 'console', { value: runner, configurable: true, writable: true })
  const { log } = runner
  const [watch, other] = [leaks.watch(process.stdout), leaks.watch(process.stderr)]
  runner.log('paid by %s', number)
  runner.error({ note: [note] })
  const places = await placesOf(watch)
  t.match(places, [
    { line: 1, column: 9, tokenId: 'the-card' },
    { line: 2, tokenId: 'the-note' },
  ])
  t.equal(places.length, 2)
  t.not(runner.log, log)
  t.equal((await placesOf(other)).length, 2)
  t.equal(runner.log, log, 'it is as it was')
  t.same(printed, [['paid by %s', number], 'error'], 'the runner gets it, too')
  const quiet = leaks.watch(new PassThrough())
  runner.log(number)
  await t.rejects(quiet.end(), /nothing was written/, 'a stream of its own')
})

t.test('a console that writes to the stream is heard once, and that of another realm, too', async t => {
  const { leaks } = await openFilled(t)
  const silent = { value: () => true, configurable: true, writable: true }
  const write = t.intercept(process.stdout, 'write', silent)
  const realm = { console: new Console(process.stdout) }
  hearConsoleOf(realm)
  const watch = leaks.watch(process.stdout)
  realm.console.log(number)
  t.equal((await placesOf(watch)).length, 1)
  t.ok(write().length > 0, 'control: it writes')
})

t.test('watches of one stream overlap, and each sees all that is written until its end', async t => {
  const { leaks } = await openFilled(t)
  const stream = new PassThrough()
  const found = async (watch: DevLeakWatch) => (await placesOf(watch)).length
  for (const order of ['first', 'second']) {
    const first = leaks.watch(stream)
    stream.write(`${number} `)
    const second = leaks.watch(stream)
    stream.write(`${note} `)
    const [sooner, later] = order === 'first' ? [first, second] : [second, first]
    t.equal(await found(sooner), order === 'first' ? 2 : 1, `the one that began ${order} ends first`)
    stream.write(number)
    t.equal(await found(later), order === 'first' ? 2 : 3)
    t.notOk(Object.hasOwn(stream, 'write'), `${order}: it is as it was`)
  }
  const outer = leaks.watch(stream, { allowSilence: true })
  const { write } = stream
  const foreign = (text: string) => Reflect.apply(write, stream, [text])
  stream.write = foreign as typeof write
  t.equal(await found(outer), 0)
  t.equal(stream.write, foreign, 'what another one has put there stays')
  const above = leaks.watch(stream)
  stream.write(number)
  t.equal(await found(above), 1)
  t.equal(stream.write, foreign)
})

t.test('a watch sees encoded texts, all kinds of bytes, and the last chunk', async t => {
  const { leaks } = await openFilled(t)
  const bytes = Buffer.from(note)
  for (const encoding of ['hex', 'base64', 'latin1', 'utf16le', 'utf-8'] as const) {
    const stream = new PassThrough()
    const watch = leaks.watch(stream)
    stream.write(bytes.toString(encoding), encoding)
    stream.write(new DataView(Uint8Array.from(bytes).buffer) as unknown as Uint8Array)
    stream.end(bytes.toString(encoding), encoding)
    const columns = (await placesOf(watch)).map(({ column }) => column)
    t.same(columns, [1, 25, 49], encoding)
    t.equal(stream.readableLength, 72, 'and all of it goes on')
    t.notOk(Object.hasOwn(stream, 'end'))
  }
})

t.test('a stream or file may be in UTF-16, and packed by gzip', async t => {
  const { leaks } = await openFilled(t)
  const text = `first line\n ${name} and ${'€ '.repeat(100)}${note}`
  const little = Buffer.from(text, 'utf16le')
  const big = Buffer.from(little).swap16()
  const encoded: Readonly<Record<string, Buffer>> = {
    'UTF-8': Buffer.from(text),
    'UTF-16': little,
    'UTF-16 of the other order': big,
    'UTF-16 with a mark': Buffer.concat([Buffer.of(0xff, 0xfe), little]),
    'UTF-16 of the other order with a mark': Buffer.concat([Buffer.of(0xfe, 0xff), big]),
  }
  for (const [encoding, bytes] of Object.entries(encoded)) {
    for (const [times, all] of [bytes, gzipSync(bytes), gzipSync(gzipSync(bytes))].entries()) {
      for (const size of [1, 50, 10_000]) {
        const parts: Uint8Array[] = []
        for (let at = 0; at < all.length; at += size) parts.push(all.subarray(at, at + size))
        const { places } = await leaks.find(parts)
        const found = places.map(({ line, column, tokenId }) => `${line}:${column} ${tokenId}`)
        t.same(found, ['2:2 the-name', '2:230 the-note'], `${encoding} packed ${times} times, by ${size}`)
      }
    }
  }
  const cut = gzipSync(`${note}${'x'.repeat(100)}`)
  t.equal((await leaks.find([cut.subarray(0, -8)])).places.length, 1, 'one that is still written')
  for (const parts of [[], [Uint8Array.of(0x1f, 0x8b)]])
    t.same((await leaks.find(parts, { allowSilence: true })).places, [])
  const folder = t.testdir({ 'app.log.gz': gzipSync(note) })
  t.match((await leaks.find({ folder })).places, [{ tokenId: 'the-note' }])
})

t.test('a report has no values, and only those of its tenant are searched for', async t => {
  const { vault, tenant } = await openFilled(t)
  const other = await openTenant(vault)
  const find = (of: TestTenant, raw: string | Uint8Array, query = '') =>
    of.asManagement('POST', `/_dev/leaks${query}`, { raw }, { 'Content-Type': 'text/plain' })
  const { status, text, json } = await find(tenant, `${number} ${note}`)
  t.equal(status, 200)
  t.equal(json.places.length, 2)
  t.notMatch(withoutIds(text), /4242|secret/)
  for (const query of ['', '?part=2'])
    t.same((await find(other, number, query)).json.places, [], 'another tenant')
  t.equal((await find(tenant, 'x'.repeat(1_048_577))).status, 413)
  t.equal((await find(tenant, 'x'.repeat(1_048_576))).status, 200)
  t.equal((await find(tenant, number, '?part=0')).status, 400)
  t.match(await find(tenant, Uint8Array.of(0x61, 0xff)), { status: 400, json: { detail: /not UTF-8/ } })
  t.equal((await tenant.send('POST', '/_dev/leaks', { raw: number })).status, 403)
})

t.test('values that were deleted, changed, expired or refused are searched for, too', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const other = await openTenant(vault)
  const make = (id: string, data: string, more = {}) =>
    tenant.send('POST', '/tokens', { id, type: 'token', data, ...more })
  await make('deleted', 'a deleted value')
  await tenant.send('DELETE', '/tokens/deleted')
  await make('changed', 'an earlier value')
  await tenant.send('PATCH', '/tokens/changed', { data: 'a later value' })
  t.equal((await make('refused', 'a refused value', { containers: ['no slash'] })).status, 400)
  t.equal((await make('changed', 'a conflicting value')).status, 409)
  const more = [{ type: 'token', data: 'inner value', metadata: { m: 'no value' } }]
  t.equal((await tenant.send('POST', '/tokenize', { name: 'a tokenized value', more })).status, 200)
  const all = [
    ...['a deleted value', 'an earlier value', 'a later value', 'a refused value', 'a conflicting value'],
    ...['a tokenized value', 'inner value'],
  ]
  const { places } = await dev.leaks.find(`${all.join('\n')} no value`)
  t.match(
    places.map(({ line, tokenId }) => [line, tokenId]),
    ['deleted', 'changed', 'changed', undefined, undefined, /.+/, /.+/].map((id, at) => [at + 1, id]),
  )
  t.equal(places.length, 7)
  const ofOther = await vault.dev.forTenant(other).leaks.find(all.join(), { allowSilence: true })
  t.same(ofOther.places, [], 'of another tenant')
})

t.test('a reset drops the values that further parts of a text would be searched for', async t => {
  const { vault } = await openDev(t, { developmentTenant: true })
  const { development } = await vault.ready()
  const send = sender(vault, development?.managementKey)
  const find = async (part: number) =>
    (await send('POST', `/_dev/leaks?part=${part}`, { raw: note }, { 'Content-Type': 'text/plain' })).json
  await sender(vault, development?.privateKey)('POST', '/tokens', { type: 'token', data: note })
  t.equal((await find(1)).places.length, 1)
  t.equal((await find(2)).places.length, 1, 'control')
  await vault.reset()
  t.same((await find(2)).places, [])
})

t.test('values that begin alike, and digits with spaces between them, do not make a search slow', async t => {
  const finder = new LeakFinder()
  for (let at = 0; at < 2000; at++) finder.add(`t${at}`, `customer ${at}`)
  finder.add('digits', '9876543210')
  // Comparing each value at each place would take minutes.
  for (const text of ['customer x ', '1 2-3 4 ']) t.same(finder.find(text.repeat(20_000), 10), [])
  for (let before = 0; before < 9; before++) {
    const [place] = finder.find(`${'.'.repeat(before)}customer 1999`, 10).slice(-1)
    t.same(place, { offset: before, length: 13, token: 't1999', spelling: 'plain' })
    const [spaced] = finder.find(`${'.'.repeat(before)}1-98765 43210`, 10)
    t.same(spaced, { offset: before + 2, length: 11, token: 'digits', spelling: 'separated' })
  }
})

t.test('a folder is searched with all below it, links are not followed', async t => {
  const { vault, tenant, leaks } = await openFilled(t)
  const folder = t.testdir({
    'a.log': `x ${number}`,
    more: { 'b.log': note },
    elsewhere: { 'c.log': number },
    none: { empty: '' },
  })
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'more/link'))
  const { places, values } = await leaks.find({ folder })
  t.same(
    places.map(one => `${one.file?.slice(folder.length + 1)} ${one.line}:${one.column} ${one.tokenId}`),
    ['a.log 1:3 the-card', 'elsewhere/c.log 1:1 the-card', 'more/b.log 1:1 the-note'],
  )
  t.equal(values, 4)
  const none = { folder: join(folder, 'none') }
  t.same((await leaks.find(none, { allowSilence: true })).places, [])
  await t.rejects(leaks.find(none), /nothing was written/)
  await t.rejects(leaks.find({ folder: join(folder, 'unknown') }), { code: 'ENOENT' })
  const [, [, wire]] = await devsOf(vault, tenant)
  await t.rejects(wire.leaks.find({ folder }), /need a vault in this process/)
  const says = "leaks.find takes a text, a stream, a list of texts, or { folder: 'logs' }"
  const message = `${says}, not foldr; did you mean folder?`
  await t.rejects(leaks.find({ foldr: 'logs' } as never), { name: 'TypeError', message })
  for (const source of [undefined, null, 1, { folder: 1 }])
    await t.rejects(leaks.find(source as never), { name: 'TypeError', message: says })
})

t.test('offsets count UTF-16 units, in whatever a text consists of', async t => {
  const { tenant, dev } = await openDev(t)
  await tenant.send('POST', '/tokens', { id: 'hidden', type: 'token', data: '😀 the hidden value' })
  // Three bytes each, a byte order mark within a text, half a character, and a character of two units across the ends of parts.
  for (const before of ['€'.repeat(700_000), 'a\ufeff', '\ud83d ', `x${'😀'.repeat(340_000)}`]) {
    const { places } = await dev.leaks.find(`${before}😀 the hidden value`)
    t.match(places, [{ line: 1, column: before.length + 1, tokenId: 'hidden' }])
    t.equal(places.length, 1)
  }
})
