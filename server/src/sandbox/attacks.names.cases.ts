import type { Attack } from './attacks.model.ts'

/** Attacks by names: ways out of the compartment, or into another one. */
const refused = (name: string, tries: string): Attack => ({
  name: `refused: ${name}`,
  tries,
  must: { kind: 'failed', reason: 'threw' },
})

export const nameAttacks: readonly Attack[] = [
  refused('the constructor of a function', `return { raw: (() => {}).constructor('return this')() }`),
  refused(
    'the constructor of an async function',
    `return { raw: await (async () => {}).constructor('return this')() }`,
  ),
  refused(
    'the constructor of a generator',
    `return { raw: [...(function* () {}).constructor('yield this')()] }`,
  ),
  refused('the constructor of an async generator', `(async function* () {}).constructor('yield this')()`),
  refused('the constructor chain of an array', `[].constructor.constructor('return process')()`),
  refused('the constructor of a host function', `console.log.constructor('return process')()`),
  refused('the constructor of a timer', `setTimeout.constructor('return process')()`),
  refused('the constructor of require', `require.constructor('return process')()`),
  refused('the constructor of the client', `req.svc.constructor.constructor('return process')()`),
  refused(
    'the constructor of an error of the host',
    `try { require('fs') } catch (e) { e.constructor.constructor('return process')() }`,
  ),
  refused('a file through require', `require('/etc/passwd')`),
  refused('a relative path through require', `require('../../../etc/passwd')`),
  refused('fs through require', `require('fs')`),
  refused('node:child_process through require', `require('node:child_process')`),
  refused('a member of every object through require', `require('constructor')`),
  refused('__proto__ through require', `require('__proto__')`),
  refused(
    'a name that changes through require',
    `let n = 0; require({ toString: () => (n++ ? 'fs' : 'fs/promises') })`,
  ),
  refused('a member on Object.prototype', `Object.prototype.polluted = 1`),
  refused('a member on Object.prototype by way of an object', `({}).__proto__.polluted = 1`),
  refused('a setter on Array.prototype', `Object.defineProperty(Array.prototype, 0, { set() {} })`),
  refused('another Array.prototype.map', `Array.prototype.map = () => []`),
  refused('another Promise.prototype.then', `Promise.prototype.then = () => {}`),
  refused('another JSON.stringify', `JSON.stringify = () => '1'`),
  refused(
    'another iterator of arrays',
    `Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })`,
  ),
  refused('a note on the iterator helpers', `Object.getPrototypeOf(new Map().entries()).note = 1`),
  refused('a note on a class of the host', `URL.prototype.note = 1`),
  refused(
    'a note on the class of a value that a module creates',
    `Object.getPrototypeOf(require('crypto').createHash('sha256')).note = 1`,
  ),
  refused('a note on the client', `Object.getPrototypeOf(req.svc).note = 1`),
  refused('a note on a resource of the client', `Object.getPrototypeOf(req.svc.tokens).note = 1`),
  refused('a note on a shared function', `setTimeout.note = 1`),
  refused('a note on a function of process', `process.hrtime.note = 1`),
  refused(
    'a note on the errors module',
    `require('@surrogate/formula-errors').BadRequestError.prototype.note = 1`,
  ),
  refused('a note on an Intl class', `Intl.NumberFormat.prototype.note = 1`),
  refused(
    'a note on the error of a decoder',
    `try { new TextDecoder('nope') } catch (e) { Object.getPrototypeOf(e).note = 1 }`,
  ),
  refused(
    'a note on the error of a URL',
    `try { new URL('') } catch (e) { Object.getPrototypeOf(e).note = 1 }`,
  ),
  refused(
    'a note on the error of a clone',
    `try { structuredClone(() => {}) } catch (e) { Object.getPrototypeOf(e).note = 1 }`,
  ),
  refused('a note on Math', `Math.note = 1`),
  refused('the callee of a function', `(function () { return arguments.callee })()`),
  {
    name: 'a global by assignment is gone in the next invocation',
    tries: `const before = typeof undeclared; undeclared = 1; fetch.note = 1; return { raw: before }`,
    must: { kind: 'answered', raw: 'undefined' },
    next: `return { raw: [typeof undeclared, typeof globalThis.undeclared, typeof fetch.note] }`,
    nextMust: { kind: 'answered', raw: ['undefined', 'undefined', 'undefined'] },
  },
  refused('import() in a Function', `new Function('return import("node:fs")')()`),
  refused('import() in an eval', `eval('import("node:fs")')`),
  refused(
    'import() in the constructor of a Function from inside',
    `Function('x = import("node:fs")', 'return x')()`,
  ),

  ...(
    [
      ['import()', `import('node:fs')`],
      ['import() after a comment', `import/**/('node:fs')`],
      ['import() after a line comment', `import//\n('node:fs')`],
      ['import() in a template', `\`\${import('node:fs')}\``],
      ['import() in a template in a template', `\`\${\`\${import('node:fs')}\`}\``],
      ['import() in a default', `((a = import('node:fs')) => a)()`],
      ['import() after a division', `1 / import('node:fs') / 1`],
      ['import() after what could be a regular expression', `if (1) /a/.test(import('node:fs'))`],
      ['import() with escapes', `imp\\u006frt('node:fs')`],
      ['import.meta', `import.meta.url`],
      ['import.source', `import.source('node:fs')`],
      ['import.defer', `import.defer('node:fs')`],
      ['a direct import', `import fs from 'node:fs'`],
      ['a with', `with (req) { args }`],
      ['an end of the function around it', `} }); globalThis.out = 1; (async () => { {`],
    ] as const
  ).map(([name, tries]): Attack => ({ name: `unusable: ${name}`, tries, must: { kind: 'unusable' } })),

  {
    name: 'the global object by a Function is the formula’s own',
    tries: `return { raw: [Function('return this')() === globalThis, (0, eval)('this') === globalThis, typeof Function('return process')().binding] }`,
    must: { kind: 'answered', raw: [false, true, 'undefined'] },
  },
  {
    name: 'a function reveals nothing about its caller',
    tries: `return { raw: (function f() { return [f.caller ?? null, f.arguments ?? null] })() }`,
    must: { kind: 'answered', raw: [null, null] },
  },
  {
    name: 'process has an empty environment, a version, nextTick and hrtime',
    tries: `return { raw: [Object.keys(process), process.env, process.version] }`,
    must: { kind: 'answered', raw: [['env', 'hrtime', 'version', 'nextTick'], {}, 'v16.20.2'] },
  },
  {
    name: 'globals that carry state or code out of the compartment are missing',
    tries: `return { raw: ['SharedArrayBuffer', 'Atomics', 'WebAssembly', 'WeakRef', 'FinalizationRegistry', 'Compartment', 'lockdown', 'ModuleSource', '__natives', '__bridge', 'boot', 'exported', 'runner', 'getStackString'].filter(n => globalThis[n] !== undefined || Function('try { return typeof ' + n + ' !== "undefined" } catch { return false }')()) }`,
    must: { kind: 'answered', raw: [] },
  },
  {
    name: 'require and module lead nowhere',
    tries: `return { raw: [Object.keys(require), Object.keys(module), typeof require.main, typeof require.cache, module.constructor === Object, __filename, __dirname] }`,
    must: { kind: 'answered', raw: [[], ['exports'], 'undefined', 'undefined', true, '/formula.js', '/'] },
  },
  {
    name: 'a member __proto__ of a literal changes nothing else',
    tries: `const o = JSON.parse('{"__proto__": {"polluted": 1}}'); return { raw: [({}).polluted ?? null, Object.assign({}, o).polluted] }`,
    must: { kind: 'answered', raw: [null, 1] },
  },
  {
    name: 'a member __proto__ of the answer is refused',
    tries: `return { raw: JSON.parse('{"a": {"__proto__": {"polluted": 1}, "b": 1}}') }`,
    must: { kind: 'failed', reason: 'shape' },
  },
  {
    name: 'the stack of an error shows no path of the host',
    tries: `const seen = []; for (const f of [() => null.x, () => require('fs'), () => new URL(''), () => JSON.parse('{')]) try { f() } catch (e) { seen.push(String(e.stack)) } return { raw: seen.filter(s => /\\.js|node:|\\/work|file:|runner/.test(s)) }`,
    must: { kind: 'answered', raw: [] },
  },
  {
    name: 'a clone of an error shows no path of the host',
    tries: `const seen = []; for (const f of [() => null.x, () => new URL('')]) try { f() } catch (e) { const c = structuredClone(e); seen.push(String(c.stack) + Object.getOwnPropertyNames(c).map(n => String(c[n]))) } return { raw: seen.filter(s => /node:|runner|at /.test(s)) }`,
    must: { kind: 'answered', raw: [] },
  },
  {
    name: 'Error.prepareStackTrace is given no call sites',
    tries: `let got = null; try { Error.prepareStackTrace = (e, sites) => { got = sites.map(s => s.getFileName()); return '' } } catch {} const s = new Error('x').stack; return { raw: got }`,
    must: { kind: 'answered', raw: null },
  },
  {
    name: 'Error.captureStackTrace shows no path of the host',
    tries: `const o = {}; Error.captureStackTrace(o); return { raw: /node:|\\/work|runner/.test(String(o.stack)) }`,
    must: { kind: 'answered', raw: false },
  },
  {
    name: 'the message of an error of the host shows no path',
    tries: `const seen = []; for (const n of ['fs', '/etc/passwd', 'x'.repeat(9)]) try { require(n) } catch (e) { seen.push(/node_modules|\\/work|\\/etc|fs$/.test(e.message)) } return { raw: seen }`,
    must: { kind: 'answered', raw: [false, false, false] },
  },
  {
    name: 'a regular expression reveals nothing of earlier matches',
    tries: `/(secret)/.test('secret'); return { raw: [RegExp.$1, RegExp.lastMatch, RegExp.input, RegExp['$_']].map(v => v ?? null) }`,
    must: { kind: 'answered', raw: [null, null, null, null] },
  },
  {
    name: 'fresh memory is empty',
    tries: `const all = [Buffer.allocUnsafe(4096), new Uint8Array(4096), Buffer.from('x')]; return { raw: [all[0].every(b => b === 0), all[1].every(b => b === 0), all[2].buffer.byteLength] }`,
    must: { kind: 'answered', raw: [true, true, 1] },
  },
  {
    name: 'a view may not lie about its length',
    tries: `class Liar extends Uint8Array { get length() { return 1e6 } get byteLength() { return 1e6 } get buffer() { return new ArrayBuffer(1e6) } static get [Symbol.species]() { return Array } } const c = require('crypto'); return { raw: [c.createHash('sha256').update(new Liar([97])).digest('hex').slice(0, 8), new TextDecoder().decode(new Liar([98]))] }`,
    must: { kind: 'answered', raw: ['ca978112', 'b'] },
  },
  {
    name: 'an encoding may not change while it is checked',
    tries: `let n = 0; const e = { toString: () => (n++ ? 'hex' : 'utf8') }; try { return { raw: Buffer.from('a').toString(e) } } catch (x) { return { raw: x.name } }`,
    must: { kind: 'answered', raw: 'a' },
  },
  {
    name: 'globals replaced by the formula do not reach the host',
    tries: `for (const n of ['JSON', 'Promise', 'Object', 'Array', 'Reflect', 'Error', 'TypeError', 'Map', 'Symbol']) globalThis[n] = null; return { raw: 1 }`,
    must: { kind: 'answered', raw: 1 },
  },
  {
    name: 'an answer may be a promise of another kind',
    tries: `return { then(resolve) { resolve({ raw: 'a' }); resolve({ raw: 'b' }); throw 1 } }`,
    must: { kind: 'answered', raw: 'a' },
  },
  {
    name: 'an answer that changes between reads is read once',
    tries: `let n = 0; return { get raw() { return ++n } }`,
    must: { kind: 'answered', raw: 1 },
  },
  {
    name: 'an answer with a trap that throws is a failure of the formula',
    tries: `return { raw: new Proxy({}, { ownKeys() { throw new Error('trap') } }) }`,
    must: { kind: 'failed', reason: 'threw' },
  },
  {
    name: 'an answer may be a proxy',
    tries: `return new Proxy({}, { get: (_, n) => (n === 'raw' ? [1] : undefined), has: () => true })`,
    must: { kind: 'answered', raw: [1] },
  },
  {
    name: 'toJSON cannot pass on references',
    tries: `return { raw: { toJSON() { return { this: typeof this, g: typeof globalThis.boot } } } }`,
    must: { kind: 'answered', raw: { this: 'object', g: 'undefined' } },
  },
  {
    name: 'a proxy that is printed runs in the formula',
    tries: `console.log(new Proxy({}, { ownKeys() { throw new Error('trap') } }), new Proxy([], {})); return { raw: 1 }`,
    must: { kind: 'answered', raw: 1 },
  },
  {
    name: 'an error whose members throw is a failure',
    tries: `throw Object.defineProperties(new Error('a'), { message: { get() { throw 1 } }, name: { get() { throw 2 } } })`,
    must: { kind: 'failed', reason: 'threw' },
  },
  {
    name: 'errors given to a class may be hostile',
    tries: `const { BadRequestError } = require('@surrogate/formula-errors'); throw new BadRequestError(new Proxy({}, { ownKeys() { throw 1 } }))`,
    must: { kind: 'failed', reason: 'threw' },
  },
  {
    name: 'errors of a refusal are text and bounded',
    tries: `const { BadRequestError } = require('@surrogate/formula-errors'); throw new BadRequestError({ a: 'x'.repeat(5000), b: [{ c: 1 }, null] })`,
    must: {
      kind: 'refused',
      error: 'BadRequestError',
      errors: { a: ['x'.repeat(1000)], b: ['{"c":1}', 'null'] },
    },
  },
  {
    name: 'a header of a chosen response does not become a member of every object',
    tries: `const { CustomHttpResponseError: C } = require('@surrogate/formula-errors'); throw new C({ status: 200, headers: JSON.parse('{"__proto__": "a", "x-a": "b"}') })`,
    must: { kind: 'failed', reason: 'shape' },
  },
  {
    name: 'the client cannot reach another server',
    tries: `const { constructor: Surrogate } = req.svc; const other = new Surrogate({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }); try { await other.tokens.get('a') } catch (e) { return { raw: e.name } }`,
    must: { kind: 'answered', raw: 'ConnectionError' },
  },
  {
    name: 'a fetch that the operator does not allow is refused',
    tries: `try { await fetch('http://127.0.0.1:1/') } catch (e) { return { raw: [e.name, e.message] } }`,
    must: {
      kind: 'answered',
      raw: ['TypeError', 'fetch is not available: the operator allows no origin'],
    },
  },
  {
    name: 'the clock and the language reveal nothing about the host',
    tries: `return { raw: [new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().timeZone, Intl.DateTimeFormat().resolvedOptions().locale, typeof Intl.Segmenter] }`,
    must: { kind: 'answered', raw: [0, 'UTC', 'en-US', 'undefined'] },
  },
  {
    name: 'eval stays inside',
    tries: `var secret = 1; return { raw: [eval('typeof process.binding'), eval('1 + 1'), (0, eval)('typeof require')] }`,
    must: { kind: 'answered', raw: ['undefined', 2, 'undefined'] },
  },
]
