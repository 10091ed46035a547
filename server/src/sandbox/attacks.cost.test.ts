// Only in CI: it runs the hostile formulas that cost most.
// In a process of its own: it takes long.
import { generateKeyPairSync } from 'node:crypto'
import { answering, attacks, type Tries, testAttacks } from './_attacks.ts'

const keys = generateKeyPairSync('rsa', {
  modulusLength: 4096,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const failed = (reason: string) => ({ kind: 'failed', reason })

const endless: Tries = {
  'a loop without end': `for (;;);`,
  'microtasks without end': `const again = () => Promise.resolve().then(again); await again()`,
  'an await without end': `for (;;) await null`,
  'a promise that never settles': `await new Promise(() => {})`,
  'a thenable that never settles': `return { then() {} }`,
  'timers without end': `await new Promise(() => { const go = () => setTimeout(go, 0); go() })`,
  'a regular expression that backtracks': `return { raw: /^(a+)+$/.test('a'.repeat(40) + 'b') }`,
  'a getter without end in the answer': `return { raw: { get a() { for (;;); } } }`,
  'a toJSON without end': `return { raw: { toJSON() { for (;;); } } }`,
  'a comparison without end': `[2, 1].sort(() => { for (;;); })`,
  'work of zlib without end': `const z = require('zlib'); for (;;) z.brotliCompressSync(Buffer.alloc(16e6))`,
  'signatures without end': `const c = require('crypto'), { privateKey } = ${JSON.stringify(keys)}; for (;;) c.createSign('sha512').update('a').sign(privateKey)`,
  'files without end': `const fs = require('fs'); for (let n = 0; ; n++) fs.writeFileSync('/' + (n % 10), 'a')`,
  'a stream as a body without end': `await fetch('https://a.test/', { method: 'POST', body: (async function* () { for (;;) yield '' })() })`,
  'printing an endless value': `console.log({ get a() { for (;;); } })`,
}
const memory: Tries = {
  'a long array that is filled': `new Array(1e8).fill(1)`,
  'a map that grows': `const m = new Map(); for (let i = 0; ; i++) m.set(i, i)`,
  'text that grows': `let s = 'x'.repeat(1e6); const a = []; for (;;) a.push((s + a.length).split(''))`,
  'buffers that are never written': `const a = []; for (;;) a.push(new ArrayBuffer(1e8))`,
  'buffers that are written to': `const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))`,
  'promises without end': `const a = []; for (;;) a.push(new Promise(() => {}))`,
  'files that are kept': `const fs = require('fs'); for (let n = 0; ; n++) fs.writeFileSync('/' + n, Buffer.alloc(1e6, 'x'))`,
  'bombs for zlib that are kept': `const z = require('zlib'), bomb = z.gzipSync(Buffer.alloc(16e6)), all = []; for (;;) all.push(z.gunzipSync(bomb).fill(1))`,
  'buffers of Buffer': `const a = []; for (;;) a.push(Buffer.alloc(1e6, 'x'))`,
}
const misshapen: Tries = {
  'a proxy that always has one more': `const p = new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (_, n) => (n === 'a' ? p : undefined) }); return { raw: p }`,
  'an answer of a million members': `return { raw: Array(3e6).fill(0) }`,
  'a proxy that claims more members than it has': `return { raw: new Array(1e6) }`,
  'an answer nested a thousand deep': `let a = 1; for (let i = 0; i < 1000; i++) a = [a]; return { raw: a }`,
}
const long: Tries = {
  'an answer of 100 MB': `return { raw: Array(100).fill('x'.repeat(1e6)) }`,
  'an answer that is short in memory and long as JSON': `return { raw: '\\u0000'.repeat(1e6) }`,
  'a chosen response of 100 MB': `const { CustomHttpResponseError: C } = require('@surrogate/formula-errors'); throw new C({ status: 200, body: Array(100).fill('x'.repeat(1e6)) })`,
}
const threw: Tries = {
  'throwing an endless value': `throw { get message() { for (;;); }, get name() { for (;;); } }`,
  'more timers than allowed': `for (let i = 0; i < 300; i++) setTimeout(() => {}, 1e6)`,
  'unlimited random bytes': `crypto.getRandomValues(new Uint8Array(1e6))`,
}
/** Formulas that stay within limits, and what they answer with behind the arrow. */
const surviving: Tries = {
  'a recursion that is caught': `let n = 0; const f = () => { n++; try { f() } catch {} }; f(); return { raw: n > 100 } // => true`,
  'calls of the host when the stack is full': `const f = () => { try { console.log('x'); setTimeout(f, 1e6); new URL('http://a'); f() } catch {} }; f(); return { raw: 1 } // => 1`,
  'a flood of lines': `for (let i = 0; i < 1e5; i++) console.log('x'.repeat(1000)); return { raw: 1 } // => 1`,
  'more requests at once than allowed': `let n = 0; await new Promise(done => { for (let i = 0; i < 30; i++) req.svc.tokens.get('slow', { maxRetries: 0 }).catch(() => { if (++n === 10) done() }) }); await new Promise(done => setTimeout(done, 20)); return { raw: n } // => 10`,
  'more requests in total than allowed': `let failed = 0; for (let i = 0; i < 205; i++) try { await req.svc.tokens.get('a', { maxRetries: 0 }) } catch { failed++ } return { raw: failed } // => 5`,
  'a request with a body of 10 MB': `try { await req.svc.tokens.create({ type: 'token', data: 'x'.repeat(1e7) }, { maxRetries: 0 }) } catch (e) { return { raw: e.name } } // => "ConnectionError"`,
}

const deep = (open: string, close: string) => `${open.repeat(20_000)}1${close.repeat(20_000)}`

/** Attacks on time and memory: each is ended in time, and ends only its own process. */
testAttacks([
  ...attacks(failed('time'), endless, { given: { timeoutMs: 150 } }),
  ...attacks(failed('memory'), memory),
  ...attacks(failed('shape'), misshapen),
  ...attacks(failed('output'), long),
  ...attacks(failed('threw'), threw),
  ...answering(surviving),
  ...attacks(
    { ...failed('threw'), detail: /RangeError/ },
    { 'a recursion without end': `const f = () => f() + 1; f()` },
  ),
  ...attacks(
    failed('memory'),
    { 'objects until the heap is full': `const a = []; for (;;) a.push({ a: [1, 2, 3] })` },
    { limits: {} },
  ),
  ...attacks(
    { kind: 'failed' },
    { 'an iterator without end': `return { raw: [...(function* () { for (;;) yield 1 })()] }` },
    { given: { timeoutMs: 8_000 } },
  ),
  ...attacks(
    { kind: 'failed' },
    { 'a number without end': `let n = 2n; for (;;) n = n ** 2n` },
    { given: { timeoutMs: 700 } },
  ),
  {
    name: 'processor time beyond what is allowed',
    tries: `for (;;);`,
    must: failed('time'),
    given: { timeoutMs: 60_000 },
    limits: { cpuMs: { sync: 300, async: 300 } },
  },
  {
    name: 'a loop without end while the code is loaded',
    code: `for (;;);`,
    must: failed('time'),
    given: { timeoutMs: 150 },
  },
  {
    name: 'code that is hard to parse',
    code: `module.exports = () => "import(" + ${deep('[', ']')}`,
    must: { kind: 'unusable' },
  },
  {
    name: 'code that is hard to compile',
    code: `module.exports = () => ${deep('(', ')')}`,
    must: { kind: 'unusable' },
  },
])
