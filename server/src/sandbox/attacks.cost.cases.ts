import type { Attack } from './attacks.model.ts'

/** Attacks on time and memory: each is ended in time, and ends only its own process. */
const short = { timeoutMs: 150 }
const time = { kind: 'failed', reason: 'time' } as const
const memory = { kind: 'failed', reason: 'memory' } as const

export const costAttacks: readonly Attack[] = [
  { name: 'a loop without end', tries: `for (;;);`, must: time, given: short },
  { name: 'a loop without end while the code is loaded', code: `for (;;);`, must: time, given: short },
  {
    name: 'microtasks without end',
    tries: `const again = () => Promise.resolve().then(again); await again()`,
    must: time,
    given: short,
  },
  { name: 'an await without end', tries: `for (;;) await null`, must: time, given: short },
  { name: 'a promise that never settles', tries: `await new Promise(() => {})`, must: time, given: short },
  { name: 'a thenable that never settles', tries: `return { then() {} }`, must: time, given: short },
  {
    name: 'timers without end',
    tries: `await new Promise(() => { const go = () => setTimeout(go, 0); go() })`,
    must: time,
    given: short,
  },
  {
    name: 'a regular expression that backtracks',
    tries: `return { raw: /^(a+)+$/.test('a'.repeat(40) + 'b') }`,
    must: time,
    given: short,
  },
  {
    name: 'a getter without end in the answer',
    tries: `return { raw: { get a() { for (;;); } } }`,
    must: time,
    given: short,
  },
  {
    name: 'a toJSON without end',
    tries: `return { raw: { toJSON() { for (;;); } } }`,
    must: time,
    given: short,
  },
  {
    name: 'a proxy that always has one more',
    tries: `const p = new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (_, n) => (n === 'a' ? p : undefined) }); return { raw: p }`,
    must: { kind: 'failed', reason: 'shape' },
  },
  {
    name: 'an iterator without end',
    tries: `return { raw: [...(function* () { for (;;) yield 1 })()] }`,
    must: { kind: 'failed' },
    given: { timeoutMs: 8_000 },
  },
  { name: 'a comparison without end', tries: `[2, 1].sort(() => { for (;;); })`, must: time, given: short },
  {
    name: 'printing an endless value',
    tries: `console.log({ get a() { for (;;); } })`,
    must: time,
    given: short,
  },
  {
    name: 'throwing an endless value',
    tries: `throw { get message() { for (;;); }, get name() { for (;;); } }`,
    must: { kind: 'failed', reason: 'threw' },
  },
  {
    name: 'processor time beyond what is allowed',
    tries: `for (;;);`,
    must: time,
    given: { timeoutMs: 60_000 },
    limits: { cpuMs: { sync: 300, async: 300 } },
  },
  {
    name: 'objects until the heap is full',
    tries: `const a = []; for (;;) a.push({ a: [1, 2, 3] })`,
    must: memory,
    limits: {},
  },
  { name: 'a long array that is filled', tries: `new Array(1e8).fill(1)`, must: memory },
  {
    name: 'a map that grows',
    tries: `const m = new Map(); for (let i = 0; ; i++) m.set(i, i)`,
    must: memory,
  },
  {
    name: 'text that grows',
    tries: `let s = 'x'.repeat(1e6); const a = []; for (;;) a.push((s + a.length).split(''))`,
    must: memory,
  },
  {
    name: 'a number without end',
    tries: `let n = 2n; for (;;) n = n ** 2n`,
    must: { kind: 'failed' },
    given: { timeoutMs: 700 },
  },
  {
    name: 'buffers that are never written',
    tries: `const a = []; for (;;) a.push(new ArrayBuffer(1e8))`,
    must: memory,
  },
  {
    name: 'buffers that are written to',
    tries: `const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))`,
    must: memory,
  },
  {
    name: 'promises without end',
    tries: `const a = []; for (;;) a.push(new Promise(() => {}))`,
    must: memory,
  },
  { name: 'buffers of Buffer', tries: `const a = []; for (;;) a.push(Buffer.alloc(1e6, 'x'))`, must: memory },
  {
    name: 'a recursion without end',
    tries: `const f = () => f() + 1; f()`,
    must: { kind: 'failed', reason: 'threw', detail: /RangeError/ },
  },
  {
    name: 'a recursion that is caught',
    tries: `let n = 0; const f = () => { n++; try { f() } catch {} }; f(); return { raw: n > 100 }`,
    must: { kind: 'answered', raw: true },
  },
  {
    name: 'calls of the host when the stack is full',
    tries: `const f = () => { try { console.log('x'); setTimeout(f, 1e6); new URL('http://a'); f() } catch {} }; f(); return { raw: 1 }`,
    must: { kind: 'answered', raw: 1 },
  },
  {
    name: 'an answer of 100 MB',
    tries: `return { raw: Array(100).fill('x'.repeat(1e6)) }`,
    must: { kind: 'failed', reason: 'output' },
  },
  {
    name: 'an answer of a million members',
    tries: `return { raw: Array(3e6).fill(0) }`,
    must: { kind: 'failed', reason: 'shape' },
  },
  {
    name: 'a proxy that claims more members than it has',
    tries: `return { raw: new Array(1e6) }`,
    must: { kind: 'failed', reason: 'shape' },
  },
  {
    name: 'an answer that is short in memory and long as JSON',
    tries: `return { raw: '\\u0000'.repeat(1e6) }`,
    must: { kind: 'failed', reason: 'output' },
  },
  {
    name: 'an answer nested a thousand deep',
    tries: `let a = 1; for (let i = 0; i < 1000; i++) a = [a]; return { raw: a }`,
    must: { kind: 'failed', reason: 'shape' },
  },
  {
    name: 'a chosen response of 100 MB',
    tries: `const { CustomHttpResponseError: C } = require('@surrogate/formula-errors'); throw new C({ status: 200, body: Array(100).fill('x'.repeat(1e6)) })`,
    must: { kind: 'failed', reason: 'output' },
  },
  {
    name: 'a flood of lines',
    tries: `for (let i = 0; i < 1e5; i++) console.log('x'.repeat(1000)); return { raw: 1 }`,
    must: { kind: 'answered', raw: 1 },
  },
  {
    name: 'more timers than allowed',
    tries: `for (let i = 0; i < 300; i++) setTimeout(() => {}, 1e6)`,
    must: { kind: 'failed', reason: 'threw' },
  },
  {
    name: 'more requests at once than allowed',
    tries: `let n = 0; await new Promise(done => { for (let i = 0; i < 30; i++) req.svc.tokens.get('slow', { maxRetries: 0 }).catch(() => { if (++n === 10) done() }) }); await new Promise(done => setTimeout(done, 20)); return { raw: n }`,
    must: { kind: 'answered', raw: 10 },
  },
  {
    name: 'more requests in total than allowed',
    tries: `let failed = 0; for (let i = 0; i < 205; i++) try { await req.svc.tokens.get('a', { maxRetries: 0 }) } catch { failed++ } return { raw: failed }`,
    must: { kind: 'answered', raw: 5 },
  },
  {
    name: 'a request with a body of 10 MB',
    tries: `try { await req.svc.tokens.create({ type: 'token', data: 'x'.repeat(1e7) }, { maxRetries: 0 }) } catch (e) { return { raw: e.name } }`,
    must: { kind: 'answered', raw: 'ConnectionError' },
  },
  {
    name: 'unlimited random bytes',
    tries: `crypto.getRandomValues(new Uint8Array(1e6))`,
    must: { kind: 'failed', reason: 'threw' },
  },
  {
    name: 'code that is hard to parse',
    code: `module.exports = async () => ({ raw: "import(" + ${'['.repeat(20_000)}${']'.repeat(20_000)} })`,
    must: { kind: 'unusable' },
  },
  {
    name: 'code that is hard to compile',
    code: `module.exports = async () => ({ raw: ${'('.repeat(20_000)}1${')'.repeat(20_000)} })`,
    must: { kind: 'unusable' },
  },
]
