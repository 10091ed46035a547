import { Console } from 'node:console'
import { Writable } from 'node:stream'
import t from 'tap'
import type { EgressRequest } from '../egress/formula-egress.ts'
import { program, testAlike } from './_alike.ts'
import { body, openSandbox } from './_fixture.ts'

/** Expressions, or blocks that return. */
const globals = [
  ...Object.entries({
    Array: 'map',
    Buffer: 'write',
    Date: 'getTime',
    Event: 'preventDefault',
    Headers: 'get',
    Map: 'get',
    Promise: 'then',
    RegExp: 'test',
    Uint8Array: 'fill',
    URL: 'toJSON',
    WeakMap: 'get',
  }).map(
    ([name, method]) =>
      `{ function Old() {} Old.prototype = Object.create(${name}.prototype); for (const own of ['constructor', 'toString', '${method}']) Old.prototype[own] = own; return [Object.keys(Old.prototype), new Old().${method}, new Old() instanceof ${name}] }`,
  ),
  `new URL('HTTP://a.test:80/b/../c?d=e#f').href`,
  `[[URL, 'https://a.test'], [URLSearchParams], [Headers], [Request, 'https://a.test'], [Response], [AbortController], [Event, 'a'], [EventTarget], [TextEncoder], [TextDecoder]].map(([One, given]) => ({}).toString.call(new One(given)))`,
  `[new AbortController().signal, new DOMException('a'), Buffer.from('a')].map(one => ({}).toString.call(one))`,
  `{ class Own extends URLSearchParams {} return ({}).toString.call(new Own('a')) }`,
  `new URL('/x?y', 'https://u:p@a.test:8443/z').toString()`,
  `{ const u = new URL('http://a.test/'); u.pathname = '/b c'; u.search = 'x=1'; u.port = '99'; u.hash = 'h'; u.protocol = 'https'; return [u.href, u.origin, u.host, JSON.stringify(u)] }`,
  `{ const u = new URL('http://a.test/?a=1&b=2'); u.searchParams.append('c', 'é &'); u.searchParams.delete('a'); return [u.href, u.search, u.searchParams.get('c')] }`,
  `{ const u = new URL('http://a.test/?a=1'); const p = u.searchParams; u.search = '?b=2'; return [p.get('a'), p.get('b'), p === u.searchParams] }`,
  `new URL('nothing')`,
  `[URL.canParse('a'), URL.canParse('a', 'http://b'), URL.canParse('http://c')]`,
  `[...new URLSearchParams('a=1&b=%20+&a=2')]`,
  `new URLSearchParams({ a: '1', b: 'x y' }).toString()`,
  `new URLSearchParams([['a', 'b'], ['c', 'd']]).toString()`,
  `{ const p = new URLSearchParams('b=1&a=2&b=3'); p.set('b', '4'); p.sort(); return [p.toString(), p.getAll('b'), p.has('a'), p.has('a', 'x'), p.size, [...p.keys()], [...p.values()]] }`,
  `[...new TextEncoder().encode('aé€😀')]`,
  `new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff]))`,
  `new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).length`,
  `new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff]))`,
  `new TextDecoder('utf-16le').decode(new Uint8Array([0x61, 0, 0x62, 0]))`,
  `new TextDecoder('nope')`,
  `{ const bytes = new Uint8Array(4); return [new TextEncoder().encodeInto('aé€', bytes), [...bytes]] }`,
  `Buffer.from('aé€😀').toString('base64')`,
  `[new Buffer.from('YQ==', 'base64').toString(), new Buffer.from([98]).toString()]`,
  `{ const seen = [], one = new EventTarget(); const on = e => seen.push(e.type, e.target === one); one.addEventListener('a', on); one.addEventListener('a', on); one.addEventListener('a', () => seen.push('once'), { once: true }); one.dispatchEvent(new Event('a')); one.dispatchEvent(new Event('b')); one.removeEventListener('a', on); one.dispatchEvent(new Event('a')); return seen }`,
  `{ const one = new EventTarget(); one.addEventListener('a', e => e.preventDefault()); return [one.dispatchEvent(new Event('a')), one.dispatchEvent(new Event('a', { cancelable: true }))] }`,
  `{ const seen = [], one = new EventTarget(); one.addEventListener('a', { handleEvent(e) { seen.push(this !== undefined); e.stopImmediatePropagation() } }); one.addEventListener('a', () => seen.push('second')); one.dispatchEvent(new Event('a')); return seen }`,
  `{ const seen = [], c = new AbortController(); c.signal.onabort = e => seen.push(e.type); c.signal.addEventListener('abort', () => seen.push('second')); c.abort(); c.abort(); return [seen, c.signal instanceof EventTarget] }`,
  `new Event()`,
  `{ const [s, ns] = process.hrtime(); const [ds] = process.hrtime([s, ns]); return [ds, typeof process.hrtime.bigint()] }`,
  `Buffer.from('aé€😀').toString('hex')`,
  `Buffer.from([1, 2, 300]).toJSON()`,
  `Buffer.from(new Uint8Array([97, 98]).buffer).toString()`,
  `Buffer.from({})`,
  `Buffer.concat([Buffer.from('a'), new Uint8Array([98])]).toString()`,
  `Buffer.alloc(3, 1).toJSON().data`,
  `[Buffer.isBuffer(Buffer.alloc(1)), Buffer.isBuffer(new Uint8Array(1)), Buffer.isEncoding('HEX'), Buffer.isEncoding('x')]`,
  `[Buffer.byteLength('é'), Buffer.byteLength('YQ==', 'base64'), Buffer.compare(Buffer.from('a'), Buffer.from('b')), Buffer.from('a').equals(Buffer.from('a'))]`,
  `{ const b = Buffer.alloc(8); b.writeUInt16BE(258, 0); b.writeUInt32BE(66051, 2); b.writeInt32BE(-2, 4); return [b.toString('hex'), b.readUInt16BE(0), b.readUInt16LE(0), b.readInt32BE(4), b.readUInt32LE(0), b.readUInt8(1), b.readInt8(7)] }`,
  `{ const b = Buffer.from('abcdef'); const s = b.slice(1, 3); s[0] = 120; return [b.toString(), s.toString(), b.subarray(2).toString('utf8', 1, 2), Buffer.isBuffer(b.subarray(1))] }`,
  `{ const a = Buffer.from('abc'), b = Buffer.alloc(5, '.'); return [a.copy(b, 1), b.toString(), b.write('zz', 3), b.toString(), b.indexOf(46)] }`,
  `{ const b = Buffer.alloc(8); b.writeDoubleLE(1.5); return [b.readDoubleLE(), b.readBigUInt64LE().toString(), b.swap64().toString('hex'), b.includes(0x3f), b.lastIndexOf('\\0')] }`,
  `[new Buffer('aGk=', 'base64').toString(), Buffer('hi').toString('hex'), Buffer.from('a').toString('UTF16LE').length, Buffer.byteLength('aé')]`,
  `Buffer.from('a').toString('nope')`,
  `[Buffer.alloc(7, 'aé').toString('hex'), Buffer.alloc(3, '').toString('hex'), Buffer.alloc(2, '6162', 'hex').toString(), Buffer.alloc(3).fill(257, 1).toString('hex'), Buffer.alloc(4).fill('b', 1, 2).toString('hex'), Buffer.alloc(5).fill(Buffer.from('ab')).toString()]`,
  `{ const d = new TextDecoder(); return [d.decode(new Uint8Array([0xc3]), { stream: true }), d.decode(new Uint8Array([0xa9]))] }`,
  `[new TextDecoder('shift_jis').decode(new Uint8Array([0x83, 0x65])), new TextDecoder('latin1').encoding]`,
  `{ const p = new URLSearchParams('a=1'); p.append('b', undefined); p.delete('a', '2'); return [p.toString(), p.get('c')] }`,
  `new URLSearchParams('a=1').append('b')`,
  `{ const u = new URL('http://a.test/'); u.port = 'x'; u.href = 'nothing' }`,
  `[btoa('aÿ'), atob('Yf8='), atob(' Y Q ')]`,
  `atob('Y')`,
  `btoa('€')`,
  `require('crypto').createHash('sha256').update('a').update(Buffer.from('b')).digest('hex')`,
  `require('node:crypto').createHash('SHA-512').update('é', 'latin1').digest('base64')`,
  `require('crypto').createHmac('sha1', 'key').update('data').digest('hex')`,
  `require('crypto').createHmac('sha256', Buffer.from('6b', 'hex')).update('data').digest().length`,
  `require('crypto').createHash('nope')`,
  `{ const h = require('crypto').createHash('md5').update('a'); h.digest(); return h.digest() }`,
  `{ const h = require('crypto').createHash('sha256').update('a'), c = h.copy(); c.update('b'); return [h.digest('hex'), c.digest('hex'), h === c] }`,
  `{ const h = require('crypto').createHash('sha256'); h.digest(); h.copy() }`,
  `require('crypto').timingSafeEqual(Buffer.from('ab'), Buffer.from('ab'))`,
  `require('crypto').timingSafeEqual(Buffer.from('a'), Buffer.from('ab'))`,
  `require('crypto').randomBytes(7).length`,
  `{ const { randomFillSync } = require('crypto'); const b = Buffer.alloc(100000); const part = randomFillSync(b, 50000, 20000); return [part === b, b.subarray(0, 50000).every(n => n === 0), b.subarray(50000, 70000).some(n => n !== 0), b.subarray(70000).every(n => n === 0), randomFillSync(new Uint8Array(3)).length] }`,
  `{ const { createSecretKey, createHmac, KeyObject } = require('crypto'); const key = createSecretKey('ff00', 'hex'); return [createHmac('sha256', key).update('a').digest('hex'), key.type, key.symmetricKeySize, key.export().toString('hex'), key.export({ format: 'jwk' }), key.equals(createSecretKey(Buffer.from([255, 0]))), key.equals(createSecretKey('x', 'utf8')), key instanceof KeyObject] }`,
  `require('crypto').createPrivateKey('secret')`,
  `require('crypto').createPublicKey('secret')`,
  `{ const n = require('crypto').randomInt(3, 5); return n >= 3 && n < 5 }`,
  `require('crypto').randomInt(5, 5)`,
  `/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())`,
  `crypto.getRandomValues(new Uint8Array(9)).length`,
  `crypto.getRandomValues(new Uint8Array(65537))`,
  `Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('a'))).toString('hex')`,
  `{ const h = new Headers({ 'X-B': '1' }); h.append('x-a', '2'); h.append('x-b', ' 3 '); return [[...h], h.get('X-B'), h.has('x-c'), h.get('x-c')] }`,
  `new Headers({ 'a b': '1' })`,
  `new Headers({ a: 'b\\nc' })`,
  `{ const r = new Response('a', { status: 201, headers: { 'x-a': 'b' } }); return [r.status, r.ok, await r.text(), r.bodyUsed, r.headers.get('content-type')] }`,
  `{ const r = Response.json({ a: 1 }); return [await r.json(), r.headers.get('content-type')] }`,
  `{ const r = new Response('a'); await r.text(); return r.text() }`,
  `{ const r = new Request('http://a.test', { method: 'post', body: new URLSearchParams('a=b') }); return [r.method, r.url, r.headers.get('content-type'), await r.clone().text()] }`,
  `new Request('http://a.test', { body: 'a' })`,
  `[...new Uint8Array(await new Response(new Uint8Array([1, 2])).arrayBuffer())]`,
  `{ const c = new AbortController(); let heard = 0; c.signal.addEventListener('abort', () => heard++); c.abort(); c.abort(); await null; return [c.signal.aborted, c.signal.reason.name] }`,
  `AbortSignal.abort(3).throwIfAborted()`,
  `AbortSignal.any([AbortSignal.abort(4)]).reason`,
  `new AbortSignal()`,
  `structuredClone({ a: [new Date(0), new Map([[1, new Set([2])]]), 3n.toString()] }).a[0].getTime()`,
  `structuredClone(() => {})`,
  `{ const o = { a: 1 }; o.self = o; const c = structuredClone(o); return c.self === c && c !== o }`,
  `await new Promise(done => { const t = setTimeout(done, 1e6, 'no'); clearTimeout(t); setTimeout((...all) => done(all), 1, 'a', 'b') })`,
  `await new Promise(done => { let n = 0; const t = setInterval(() => { if (++n === 3) { clearInterval(t); done(n) } }, 1) })`,
  `await new Promise(done => { const order = []; setImmediate(() => done(order.sort())); process.nextTick(x => order.push(x), 'tick'); queueMicrotask(() => order.push('micro')) })`,
  `setTimeout('code', 1)`,
  `new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5)`,
  `(1234.5).toLocaleString('en-US')`,
  `new Date(Date.UTC(2020, 1, 2)).toLocaleDateString('en-GB', { timeZone: 'UTC' })`,
  `{ const n = Math.random(); return n >= 0 && n < 1 && n !== Math.random() && Math.max(1, 2) }`,
  `Math.abs(Date.now() - new Date().getTime()) < 1000 && performance.now() > 0`,
  `{ class E extends Error { constructor(m) { super(m); this.name = 'E' } toString() { return 'mine' } } const e = new E('a', { cause: 1 }); return [e.name, e.message, String(e), e instanceof Error] }`,
  `{ const o = Object.create({ a: 1 }); o.toString = () => 'mine'; return [\`\${o}\`, new Float64Array([1.5])[0], 2n ** 64n + ''] }`,
]

/** A transform of text whose result are objects: the way of parsers. */
const parser = `new Transform({ readableObjectMode: true, transform(piece, encoding, done) { for (const line of String(piece).split(';')) this.push({ line }); done() } })`

/** Bodies that use modules of Node. */
const modules = [
  `const E = require('events'); const e = new E(), seen = []; e.on('a', (...all) => seen.push(all)); e.prependListener('a', () => seen.push('first')); e.once('a', () => seen.push('once')); e.emit('a', 1, 2); e.emit('a'); return [seen, e.listenerCount('a'), e.eventNames(), e.emit('b')]`,
  `const E = require('node:events'); const e = new E(); const f = () => {}; e.on('a', f); e.on('a', f); e.off('a', f); return [e.listeners('a').length, e.removeAllListeners().eventNames(), E.EventEmitter === E]`,
  `new (require('events'))().emit('error', new Error('a'))`,
  `new (require('events'))().on('a', 'no function')`,
  `const E = require('events'); const e = new E(); setTimeout(() => e.emit('a', 1, 2), 1); return E.once(e, 'a')`,
  `const E = require('events'), { inherits } = require('util'); function Old() { E.call(this); this.own = 1 } inherits(Old, E); const o = new Old(); let n = 0; o.on('a', v => { n += v }); o.emit('a', 2); return [n, o.own, o instanceof E, Old.super_ === E]`,
  `class New extends require('events') { constructor() { super(); this.n = 0; this.on('a', () => this.n++) } } const o = new New(); o.emit('a'); return o.n`,
  `class Ledger extends require('events') { add(n) { this.n = n } of() {} next() {} } const l = new Ledger(); l.on('a', () => {}); l.add(5); return [l.n, l.emit('a')]`,
  `const q = require('querystring'); return [{ ...q.parse('a=1&b=%20+&a=2&c&d=%zz') }, q.stringify({ a: [1, 'x y'], b: true, c: {}, d: 'é&' }), q.escape('a b'), q.unescape('a%20b')]`,
  `const { promisify, callbackify } = require('util'); const late = (a, b, done) => setTimeout(done, 1, a > b ? new Error('more') : null, a + b); const seen = await promisify(late)(1, 2); return new Promise(done => callbackify(async x => x * 2)(4, (error, value) => done([seen, error, value])))`,
  `return require('util').promisify((done) => done(new Error('a')))()`,
  `const { format } = require('util'); return [format('%s is %d and %i%% of %j', 'a', '4.5', 9.9, { b: 1 }), format('a', 'b', 3), format(1, 'x'), format('%s'), format('%%', 1)]`,
  `const { isDeepStrictEqual: same } = require('util'); return [same({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), same([1], [2]), same({ a: 1 }, { a: 1, b: 2 }), same(new Date(1), new Date(1)), same(new Set([1]), new Set([2]))]`,
  `const { types } = require('util'); return [types.isDate(new Date()), types.isRegExp(/a/), types.isPromise(Promise.resolve()), types.isTypedArray(new Uint8Array()), types.isUint8Array([]), types.isMap(new Map()), types.isDate(1)]`,
  `const { inspect } = require('util'); return [inspect(new Map([['a', new Set([1])]])), inspect({ a: { b: { c: {} } } }, { depth: 0 }), inspect('it'), inspect({ 'a-b': [undefined] })]`,
  `const { inspect } = require('util'); const o = { a: 1, b: ['x', null], c: { d: { e: { f: 1 } } } }; return inspect(o)`,
  `const { Readable } = require('stream'); let text = ''; for await (const piece of Readable.from(['a', 'b', 'c'])) text += piece; return text`,
  `const { Transform, Readable } = require('stream'); const up = new Transform({ transform(piece, encoding, done) { done(null, String(piece).toUpperCase()) }, flush(done) { this.push('.'); done() } }); const seen = []; up.on('data', piece => seen.push(piece.toString())); await new Promise(done => { up.on('end', done); Readable.from(['a', 'b']).pipe(up) }); return seen`,
  `const { Writable } = require('stream'); const seen = []; const w = new Writable({ write(piece, encoding, done) { seen.push(piece.toString(), encoding); done() }, final(done) { seen.push('final'); done() } }); await new Promise(done => { w.on('finish', done); w.write('a'); w.write(Buffer.from('b')); w.end('c') }); return [seen, w.writableFinished]`,
  `const { PassThrough, pipeline } = require('stream'); const from = new PassThrough(), to = new PassThrough(); const all = []; to.on('data', d => all.push(d)); const done = new Promise(resolve => pipeline(from, to, resolve)); from.end('abc'); const error = await done; return [error ?? null, Buffer.concat(all).toString()]`,
  `const { Readable } = require('stream'); const r = new Readable({ read() { this.push(this.n === undefined ? 'a' : null); this.n = 1 } }); r.setEncoding('utf8'); const seen = []; for await (const piece of r) seen.push(piece); return seen`,
  `const { Readable, Writable } = require('stream'); await require('stream/promises').pipeline(Readable.from(['a']), new Writable({ write(piece, encoding, done) { done(new Error('full')) } }))`,
  `const { Writable } = require('stream'); const w = new Writable({ write(piece, encoding, done) { done() } }); w.end(); return new Promise((_, reject) => { w.on('error', reject); w.write('late') })`,
  `const { Duplex } = require('stream'); const d = new Duplex({ read() {}, write(piece, encoding, done) { this.push(piece); done() }, final(done) { this.push(null); done() } }); const seen = []; d.on('data', p => seen.push(String(p))); await new Promise(done => { d.on('end', done); d.write('x'); d.end('y') }); return seen.join('')`,
  `const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('key'), { name: 'HMAC', hash: 'SHA-256' }, true, ['sign', 'verify']); const made = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('data')); return [Buffer.from(made).toString('hex'), await crypto.subtle.verify('HMAC', key, made, new TextEncoder().encode('data')), await crypto.subtle.verify('HMAC', key, made, new TextEncoder().encode('dat')), (await crypto.subtle.exportKey('jwk', key)).k, key.type, key.algorithm.hash.name, String(key)]`,
  `const key = await crypto.subtle.importKey('raw', new Uint8Array(3), { name: 'HMAC', hash: 'SHA-1' }, false, ['verify']); await crypto.subtle.sign('HMAC', key, new Uint8Array(1))`,
  `const key = await crypto.subtle.importKey('raw', new Uint8Array(3), { name: 'HMAC', hash: 'SHA-1' }, false, ['verify']); await crypto.subtle.exportKey('raw', key)`,
  `await crypto.subtle.importKey('raw', new Uint8Array(3), { name: 'HMAC', hash: 'nope' }, false, ['verify'])`,
  `const { Transform, Readable } = require('stream'); const seen = []; const t = ${parser}; t.on('readable', () => { let one; while ((one = t.read()) !== null) seen.push(one) }); await new Promise((done, fail) => { t.on('end', done); t.on('error', fail); t.write('a;b'); t.end() }); return [seen, t.readableObjectMode, t.writableObjectMode]`,
  `const { Transform } = require('stream'); const t = ${parser}; t.end('a;b;c'); const seen = []; for await (const one of t) seen.push(one); return seen`,
  `const { Transform } = require('stream'); const t = new Transform({ writableObjectMode: true, transform(piece, encoding, done) { done(null, JSON.stringify(piece)) } }); t.write({ a: 1 }); t.end({ b: 2 }); let text = ''; for await (const piece of t) text += piece; return [text, t.readableObjectMode, t.writableObjectMode]`,
  `const { Transform } = require('stream'); new Transform({ readableObjectMode: true }).write({ a: 1 })`,
  `const { Duplex } = require('stream'); const d = new Duplex({ readableObjectMode: true, read() { this.push({ n: 1 }); this.push(null) }, write(piece, encoding, done) { done() } }); const seen = []; for await (const one of d) seen.push(one); return [seen, d.readableHighWaterMark, d.writableHighWaterMark > 1000]`,
  `const { Readable } = require('stream'); return [await Readable.from([1, 2, 3]).map(n => n * 2).toArray(), await Readable.from([1, 2, 3]).filter(n => n > 1).reduce((a, b) => a + b)]`,
  `const { PassThrough, finished } = require('stream'); const p = new PassThrough(); const over = new Promise(done => finished(p, error => done(error?.code))); p.destroy(); return over`,
  `const { Writable } = require('stream'); let n = 0; const w = new Writable({ highWaterMark: 2, write(piece, encoding, done) { n++; setTimeout(done, 1) } }); const full = w.write('abc'); await new Promise(done => w.once('drain', done)); return [full, n, w.writableLength]`,
  `const { Writable } = require('stream'); const w = new Writable({ writev(pieces, done) { this.n = pieces.length; done() } }); w.cork(); w.write('a'); w.write('b'); w.uncork(); await new Promise(done => w.end(done)); return w.n`,
  `const { Readable } = require('stream'); const r = Readable.from(['a', 'b']); r.unshift?.('z'); let text = ''; for await (const p of r) text += p; return text`,
  `const Stream = require('stream'); function Old() { Stream.call(this) } require('util').inherits(Old, Stream); const o = new Old(); const w = new Stream.PassThrough(); o.pipe(w); o.emit('data', 'x'); o.emit('end'); let text = ''; for await (const p of w) text += p; return [text, Stream.Stream === Stream, new Stream.Readable() instanceof Stream]`,
  `const { Transform } = require('stream'); function Old() { Transform.call(this) } require('util').inherits(Old, Transform); Old.prototype._transform = function (piece, encoding, done) { done(null, piece + '!') }; Old.prototype.constructor = Old; const o = new Old(); o.end('a'); let text = ''; for await (const p of o) text += p; return text`,
  `const { EventEmitter, once } = require('events'); const e = new EventEmitter(); const all = []; const symbol = Symbol('s'); e.on(symbol, () => all.push(1)); e.once('newListener', name => all.push(name)); e.on('x', function () { all.push(this === e) }); e.emit(symbol); e.emit('x'); const waiting = once(e, 'late'); e.emit('error', new Error('a')); return waiting`,
  `const { EventEmitter } = require('events'); const e = new EventEmitter(); e.setMaxListeners(1); return [e.getMaxListeners(), e.on('a', () => {}).rawListeners('a').length, EventEmitter.defaultMaxListeners, e._events.a !== undefined]`,
  `const { EventEmitter } = require('events'); class E extends EventEmitter {} const e = new E(); e.domain = 1; e.constructor = E; e.toString = () => 'mine'; return [String(e), e instanceof EventEmitter]`,
]

const sandbox = openSandbox(t, { limits: { runsPerProcess: 10_000 } })
testAlike(sandbox, [...globals.map(program), ...modules])

/** Statements that print the same lines in a formula as in Node. */
const printed = [
  `console.log('%s costs %d, %i%% of %f, %j', 'tea', '4.5', '9.9', '0.5x', { b: [1] }, 'and', { more: true })`,
  `console.log('100%'); console.log('%s'); console.log('%s and %s', 1); console.log('%%', 1); console.log('%x %', 1)`,
  `console.log('%O|%o', [1], { a: 'b' }); console.log('%ctext', 'color: red'); console.log()`,
  `console.log('%s %s %s', null, undefined, Symbol('x'), -0, 2n); console.log('%d %i %f', 2n, 3n, Symbol('y'))`,
  `console.log('%s', { a: { b: 1 } }); console.log('%s', { toString: () => 'own text' }); console.log('%s', [1, [2]])`,
  `const loop = {}; loop.loop = loop; console.log('%j', loop)`,
  `console.log(new Map([[{ a: 1 }, new Set(['b', 2])], ['c', new Map()]]), new Set(), [], {}, [[]])`,
  `console.log({ 'a-b': 1, c: [null, undefined, -0, 2n, true] }, { d: /x/g, e: new Date(0) }, { f() {} }, x => x)`,
  `console.log(["it's", '"quoted"', 'both \\' and "', 'line\\n']); console.log('a\\nb')`,
  `class Card { constructor() { this.brand = 'visa' } } console.log(new Card(), Object.create(null), new Uint8Array(2))`,
  `console.log(Array.from({ length: 101 }, () => 0).length, new Array(0))`,
  `console.error('a'); console.warn('b'); console.info('c'); console.debug('d'); console.dirxml('e', { f: 1 })`,
  `console.dir('text'); console.dir({ a: 1 }, { depth: 0 })`,
  `console.assert(true, 'no'); console.assert(false); console.assert(false, 'is %s', 'wrong')`,
  `console.count(); console.count('a'); console.count(); console.countReset(); console.count(); console.count(undefined)`,
  `console.group('outer'); console.log('in\\nside'); console.group(); console.warn('deep'); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log('out')`,
  `console.groupCollapsed('%s!', 'hidden'); console.log({ a: 1 }); console.groupEnd()`,
  `console.clear(); console.profile(); console.profileEnd(); console.timeStamp(); const { log } = console; log('free')`,
]
for (const code of printed) {
  t.test(`prints: ${code}`, async t => {
    const lines: string[] = []
    const stream = new Writable({
      write(piece, _encoding, done) {
        lines.push(`${piece}`.slice(0, -1))
        done()
      },
    })
    new Function('console', code)(
      Object.assign(new Console(stream, stream), { profile() {}, profileEnd() {}, timeStamp() {} }),
    )
    sandbox.lines.length = 0
    await sandbox.raw(body(`${code}; return { raw: 1 }`))
    t.same(
      sandbox.lines.map(({ text }) => text),
      lines,
    )
  })
}

t.test('times and counts are those of an invocation, and a wrong label is only said', async t => {
  const code = body(`
    console.count('a'); console.time('b'); console.timeLog('b', 'so far'); console.timeEnd('b')
    console.time('left'); console.group(); return { raw: 1 }`)
  for (const _ of [1, 2]) {
    sandbox.lines.length = 0
    await sandbox.raw(code)
    t.match(
      sandbox.lines.map(({ text }) => text),
      [/^a: 1$/, /^b: [\d.]+m?s so far$/, /^b: [\d.]+m?s$/],
    )
    t.equal(sandbox.lines.length, 3)
  }
  sandbox.lines.length = 0
  const labels = `console.timeEnd('x'); console.time(); console.time(); console.countReset('x'); console.count({ toString: null })`
  await sandbox.raw(body(`${labels}; return { raw: 1 }`))
  t.same(
    sandbox.lines.map(({ text }) => text),
    [
      "No such label 'x' for console.timeEnd()",
      "Label 'default' already exists for console.time()",
      "Count for 'x' does not exist",
      'default: 1',
    ],
  )
})

t.test(
  'an error is printed with its cause and its members, and nothing that is printed fails a formula',
  async t => {
    sandbox.lines.length = 0
    const code = body(`
    console.log(new Error('lost', { cause: new TypeError('refused', { cause: { code: 1 } }) }))
    console.log(Object.assign(new Error('a'), { code: 'E', card: new Map([['b', 1]]) }), new AggregateError([new Error('c')], 'd'))
    console.log('%s %d', { toString() { throw 1 } }, { valueOf() { throw 2 } })
    console.log({ get a() { throw 3 } }, Object.defineProperty(() => {}, 'name', { get() { throw 4 } }))
    console.log(new Proxy({}, { ownKeys() { throw 5 }, getPrototypeOf() { throw 6 } }), new Proxy(() => {}, { getOwnPropertyDescriptor() { throw 7 } }))
    const far = {}; let at = far; for (let n = 0; n < 100; n++) at = at.next = {}
    console.log(far); return { raw: 1 }`)
    t.equal(await sandbox.raw(code), 1)
    t.same(
      sandbox.lines.map(({ text }) => text),
      [
        'Error: lost { [cause]: TypeError: refused { [cause]: { code: 1 } } }',
        "Error: a { code: 'E', card: Map(1) { 'b' => 1 } } AggregateError: d { [errors]: [ Error: c ] }",
        '%s %d { toString: [Function: toString] } { valueOf: [Function: valueOf] }',
        '[object] [Function (anonymous)]',
        '[object] [object]',
        '{ next: { next: { next: { next: { next: [Object] } } } } }',
      ],
    )
  },
)

t.test('fetch calls the egress of the host', async t => {
  const asked: EgressRequest[] = []
  const egress = async (request: EgressRequest) => {
    asked.push(request)
    if (request.url.includes('refused')) throw new Error('connect ECONNREFUSED 10.0.0.1:80')
    if (request.url.includes('never'))
      await new Promise(resolve => request.signal.addEventListener('abort', resolve))
    return { status: 201, headers: { 'x-a': 'b' }, body: Buffer.from('{"ok":true}') }
  }
  const open = openSandbox(t, { egress })
  const asks = body(`
    const response = await fetch(new URL('http://a.test/b?c'), { method: 'PUT', headers: { Authorization: 'k' }, body: 'é' })
    return { raw: [response.status, response.ok, response.headers.get('x-a'), await response.json()] }`)
  t.same(await open.raw(asks), [201, true, 'b', { ok: true }])
  t.match(asked[0], { method: 'PUT', url: 'http://a.test/b?c', headers: { authorization: 'k' } })
  t.equal(Buffer.from(asked[0]?.body ?? []).toString(), 'é')
  const refused = body(
    `try { await fetch('http://refused.test') } catch (e) { return { raw: [e.name, e.message] } }`,
  )
  t.same(await open.raw(refused), ['TypeError', 'the request failed'], 'without the reason')
  const aborted = body(
    `try { await fetch('http://never.test', { signal: AbortSignal.timeout(5) }) } catch (e) { return { raw: e.name } }`,
  )
  t.equal(await open.raw(aborted), 'TimeoutError')
  t.equal(asked.at(-1)?.signal.aborted, true, 'the request is aborted')
  t.equal(
    await open.raw(body(`try { await fetch('nothing') } catch (e) { return { raw: e.name } }`)),
    'TypeError',
  )
})

t.test('a redirect is handled as fetch is told', async t => {
  const asked: (string | undefined)[] = []
  const egress = async ({ redirect }: EgressRequest) => {
    asked.push(redirect)
    return redirect === 'manual'
      ? { status: 302, headers: { location: 'https://b.test/' }, body: '' }
      : { status: 200, headers: {}, body: '' }
  }
  const open = openSandbox(t, { egress })
  const code = (init: string) =>
    body(`const response = await fetch('https://a.test/', ${init})
      return { raw: [response.status, response.headers.get('location')] }`)
  t.same(await open.raw(code('{ redirect: "manual" }')), [302, 'https://b.test/'])
  t.same(await open.raw(code('{}')), [200, null])
  t.same(await open.raw(code('new Request("https://a.test/", { redirect: "error" })')), [200, null])
  t.same(await open.raw(code('undefined')), [200, null])
  t.same(asked, ['manual', undefined, 'error', undefined])
  const [, detail] = (await open.raw(
    body(
      `try { await fetch('https://a.test/', { redirect: 'never' }) } catch (e) { return { raw: [e.name, e.message] } }`,
    ),
  )) as string[]
  t.equal(detail, 'redirect is follow, manual or error')
})

t.test('a body is sent whole or refused, never as something else', async t => {
  const sent: string[] = []
  const egress = async ({ body: given }: EgressRequest) => {
    sent.push(given === undefined ? 'nothing' : Buffer.from(given).toString())
    return { status: 200, headers: {}, body: '' }
  }
  const open = openSandbox(t, { egress })
  const sends = (given: string) =>
    open.raw(
      body(`try { await fetch('https://a.test/', { method: 'POST', body: ${given} }); return { raw: 'sent' } }
        catch (e) { return { raw: e.name + ': ' + e.message } }`),
    )
  for (const [given, is] of [
    [`JSON.stringify({ a: 1 })`, '{"a":1}'],
    [`require('stream').Readable.from(['a', Buffer.from('é')])`, 'aé'],
    [`(async function* () { yield 'a'; await null; yield new Uint8Array([98]) })()`, 'ab'],
    [`require('stream').Readable.from(['a']).pipe(new (require('stream').PassThrough)())`, 'a'],
    [
      `(() => { const E = require('events'), made = new E(); made.pipe = () => {}; made.resume = () => { made.emit('data', 'old'); made.emit('end') }; return made })()`,
      'old',
    ],
    [`null`, 'nothing'],
    [`''`, ''],
  ] as const) {
    t.equal(await sends(given), 'sent', given)
    t.equal(sent.pop(), is, given)
  }
  for (const given of ['{ a: 1 }', '[1]', 'new Map()', 'new Date(0)', '() => {}, body: {}']) {
    t.match(
      await sends(given),
      /^TypeError: a body must be .+; of an object, send JSON.stringify\(object\)$/,
      given,
    )
  }
  for (const [given, says] of [
    [
      `require('stream').Readable.from([{ a: 1 }])`,
      'TypeError: a stream that is a body must consist of text or bytes',
    ],
    [`(async function* () { yield 'a'; throw new RangeError('broken') })()`, 'RangeError: broken'],
    [`(async function* () { for (;;) yield 'a'.repeat(1e6) })()`, 'TypeError: the body is too long'],
  ] as const) {
    t.equal(await sends(given), says, given)
  }
  t.same(sent, [], 'nothing else was sent')
  const read = body(`const made = new Response(require('stream').Readable.from(['a', 'b'])); let cloned
    try { made.clone() } catch (e) { cloned = e.name }
    return { raw: [await made.text(), cloned, await made.text().catch(e => e.message)] }`)
  t.same(await open.raw(read), ['ab', 'TypeError', 'the body was already read'])
})

t.test('what a formula does to a module of Node is gone in the next invocation', async t => {
  const code = body(`
    const events = require('events'), before = events.mark
    events.mark = 1
    events.prototype.emit = () => 'changed'
    return { raw: [before ?? null, require('node:events').mark, new events().emit('a')] }`)
  t.same(await sandbox.raw(code), [null, 1, 'changed'])
  t.same(await sandbox.raw(code), [null, 1, 'changed'])
})

t.test('node-fetch is the fetch of the sandbox', async t => {
  const open = openSandbox(t, { egress: async ({ url }) => ({ status: 200, headers: {}, body: url }) })
  const code = body(`
    const fetch = require('node-fetch')
    const { default: same, Headers: theirs } = fetch
    return { raw: [await (await fetch('http://a.test/b')).text(), same === fetch.default, theirs === Headers] }`)
  t.same(await open.raw(code), ['http://a.test/b', true, true])
})
