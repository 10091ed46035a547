import { createRequire } from 'node:module'
import t from 'tap'
import { body, openSandbox } from './_fixture.ts'

/** Each has the same result in a formula as in Node, or throws in both. */
const alike = [
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
]

/** A transform of text whose result are objects: the way of parsers. */
const parser = `new Transform({ readableObjectMode: true, transform(piece, encoding, done) { for (const line of String(piece).split(';')) this.push({ line }); done() } })`

const streams = [
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

const native = createRequire(import.meta.url)
const AsyncFunction = (async () => {}).constructor as FunctionConstructor
const sandbox = openSandbox(t, { limits: { runsPerProcess: 10_000 } })

for (const code of [...alike, ...streams]) {
  t.test(code, async t => {
    const inNode = await new AsyncFunction('require', code)(native).then(
      (value: unknown) => ({ value: JSON.parse(JSON.stringify(value ?? null)) }),
      () => 'throws',
    )
    const attempt = `try { return { raw: { value: (await Promise.race([(async () => { ${code} })(), new Promise(done => setTimeout(done, 8000, 'hangs'))])) ?? null } } } catch { return { raw: 'throws' } }`
    t.same(await sandbox.raw(body(attempt)), inNode)
  })
}

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
