import { answered, answering, attacks, type Tries, testAttacks } from './_attacks.ts'

const threw = { kind: 'failed', reason: 'threw' }
const shape = { kind: 'failed', reason: 'shape' }

/** Attacks by names: ways out of the compartment, or into another one. */
const refused: Tries = {
  'the constructor of a function': `return { raw: (() => {}).constructor('return this')() }`,
  'the constructor of an async function': `return { raw: await (async () => {}).constructor('return this')() }`,
  'the constructor of a generator': `return { raw: [...(function* () {}).constructor('yield this')()] }`,
  'the constructor of an async generator': `(async function* () {}).constructor('yield this')()`,
  'the constructor chain of an array': `[].constructor.constructor('return process')()`,
  'the constructor of a host function': `console.log.constructor('return process')()`,
  'the constructor of a timer': `setTimeout.constructor('return process')()`,
  'the constructor of require': `require.constructor('return process')()`,
  'the constructor of the client': `req.svc.constructor.constructor('return process')()`,
  'the constructor of an error of the host': `try { require('inspector') } catch (e) { e.constructor.constructor('return process')() }`,
  'a file through require': `require('/etc/passwd')`,
  'a relative path through require': `require('../../../etc/passwd')`,
  'inspector through require': `require('inspector')`,
  'node:sqlite through require': `require('node:sqlite')`,
  'a file through fs': `require('fs').readFileSync('/etc/passwd')`,
  'the memory of the process through fs': `require('fs').readFileSync('/proc/self/mem')`,
  'a descriptor through fs': `require('node:fs').openSync('/proc/self/environ')`,
  'writing to the socket of the process': `require('fs').writeSync(1, 'x')`,
  'a process through node:child_process': `require('node:child_process').execSync('id')`,
  'a fork through child_process': `require('child_process').fork('/formula.js')`,
  'a socket through net': `new (require('net').Socket)({ fd: 1 })`,
  'a connection through net': `require('net').connect(80, '127.0.0.1')`,
  'a connection through tls': `require('tls').connect(443)`,
  'a datagram': `require('dgram').createSocket('udp4')`,
  'a name through dns': `await require('dns').promises.lookup('localhost')`,
  'a server through http': `require('http').createServer().listen(0)`,
  'a connection through http2': `require('http2').connect('http://127.0.0.1')`,
  'a worker': `new (require('worker_threads').Worker)('process', { eval: true })`,
  'a context through vm': `require('vm').runInNewContext('this.constructor.constructor("return process")()')`,
  'a script through vm': `new (require('vm').Script)('import("node:fs")')`,
  'a module of Node through module': `require('module').createRequire('file:///')('inspector')`,
  'the loader of modules': `new (require('module').Module)('a')._compile('', 'a')`,
  'a member of Object.prototype as a method of zlib': `require('zlib').constructor.constructor('return process')()`,
  'a function of the host through require': `require('host:compression')`,
  'a function of the host through another require': `require('module').createRequire('/')('host:compression')`,
  'a function of the host by a name that changes': `let n = 0; require('module').createRequire('/')({ toString: () => (n++ ? 'host:compression' : 'inspector') })`,
  'a note on the constants of crypto': `require('crypto').constants.note = 1`,
  'a note on the functions of the host behind zlib': `require('zlib').gzipSync.constructor('return process')()`,
  'a note on a key': `Object.getPrototypeOf(require('crypto').createSecretKey('a')).note = 1`,
  'another verification of signatures': `Object.getPrototypeOf(require('crypto').createVerify('sha256')).verify = () => true`,
  'a note on a cipher': `require('crypto').createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)).constructor.note = 1`,
  'the native behind a cipher': `require('crypto').createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)).update.constructor('return process')()`,
  'a view that lies about its length as a key': `class Liar extends Uint8Array { get length() { return 16 } get byteLength() { return 16 } get buffer() { return new ArrayBuffer(16) } } require('crypto').createCipheriv('aes-128-cbc', new Liar(3), Buffer.alloc(16))`,
  'a note on buffer': `require('buffer').note = 1`,
  'a note on a fact of process': `Object.getPrototypeOf(process.stdout).note = 1`,
  'a member of every object through require': `require('constructor')`,
  '__proto__ through require': `require('__proto__')`,
  'a name that changes through require': `let n = 0; require({ toString: () => (n++ ? 'fs' : 'inspector') })`,
  'a member on Object.prototype': `Object.prototype.polluted = 1`,
  'a member on Object.prototype by way of an object': `({}).__proto__.polluted = 1`,
  'a setter on Array.prototype': `Object.defineProperty(Array.prototype, 0, { set() {} })`,
  'another Array.prototype.map': `Array.prototype.map = () => []`,
  'another Promise.prototype.then': `Promise.prototype.then = () => {}`,
  'another JSON.stringify': `JSON.stringify = () => '1'`,
  'another iterator of arrays': `Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })`,
  'a note on the iterator helpers': `Object.getPrototypeOf(new Map().entries()).note = 1`,
  'a note on a class of the host': `URL.prototype.note = 1`,
  'a note on the class of a value that a module creates': `Object.getPrototypeOf(require('crypto').createHash('sha256')).note = 1`,
  'a note on the client': `Object.getPrototypeOf(req.svc).note = 1`,
  'a note on a resource of the client': `Object.getPrototypeOf(req.svc.tokens).note = 1`,
  'a note on a shared function': `setTimeout.note = 1`,
  'a note on a function of process': `process.hrtime.note = 1`,
  'a note on the errors module': `require('@surrogate/formula-errors').BadRequestError.prototype.note = 1`,
  'a note on an Intl class': `Intl.NumberFormat.prototype.note = 1`,
  'a note on the error of a decoder': `try { new TextDecoder('nope') } catch (e) { Object.getPrototypeOf(e).note = 1 }`,
  'a note on the error of a URL': `try { new URL('') } catch (e) { Object.getPrototypeOf(e).note = 1 }`,
  'a note on the error of a clone': `try { structuredClone(() => {}) } catch (e) { Object.getPrototypeOf(e).note = 1 }`,
  'a note on Math': `Math.note = 1`,
  'a note on Buffer.prototype': `Buffer.prototype.note = 1`,
  'another Buffer.prototype.toString': `Object.getPrototypeOf(Buffer.from('a')).toString = () => 'b'`,
  'the callee of a function': `(function () { return arguments.callee })()`,
  'import() in a Function': `new Function('return import("node:fs")')()`,
  'import() in an eval': `eval('import("node:fs")')`,
  'import() in the constructor of a Function from inside': `Function('x = import("node:fs")', 'return x')()`,
  'an answer with a trap that throws is a failure of the formula': `return { raw: new Proxy({}, { ownKeys() { throw new Error('trap') } }) }`,
  'an error whose members throw is a failure': `throw Object.defineProperties(new Error('a'), { message: { get() { throw 1 } }, name: { get() { throw 2 } } })`,
  'errors given to a class may be hostile': `const { BadRequestError } = require('@surrogate/formula-errors'); throw new BadRequestError(new Proxy({}, { ownKeys() { throw 1 } }))`,
}

const unusable: Tries = {
  'import()': `import('node:fs')`,
  'import() after a comment': `import/**/('node:fs')`,
  'import() after a line comment': `import//
('node:fs')`,
  'import() in a template': `\`\${import('node:fs')}\``,
  'import() in a template in a template': `\`\${\`\${import('node:fs')}\`}\``,
  'import() in a default': `((a = import('node:fs')) => a)()`,
  'import() after a division': `1 / import('node:fs') / 1`,
  'import() after what could be a regular expression': `if (1) /a/.test(import('node:fs'))`,
  'import() with escapes': `imp\\u006frt('node:fs')`,
  'import.meta': `import.meta.url`,
  'import.source': `import.source('node:fs')`,
  'import.defer': `import.defer('node:fs')`,
  'a direct import': `import fs from 'node:fs'`,
  'a with': `with (req) { args }`,
  'an end of the function around it': `} }); globalThis.out = 1; (async () => { {`,
}

/** Formulas that answer with an empty list of what they found. */
const finding: Tries = {
  'globals that carry state or code out of the compartment are missing': `return { raw: ['SharedArrayBuffer', 'Atomics', 'WebAssembly', 'WeakRef', 'FinalizationRegistry', 'Compartment', 'lockdown', 'ModuleSource', '__natives', '__bridge', 'boot', 'exported', 'runner', 'getStackString'].filter(n => globalThis[n] !== undefined || Function('try { return typeof ' + n + ' !== "undefined" } catch { return false }')()) }`,
  'the stack of an error shows no path of the host': `const seen = []; for (const f of [() => null.x, () => require('inspector'), () => require('fs').readFileSync('/etc/passwd'), () => require('zlib').gunzipSync('x'), () => require('net').connect(1), () => new URL(''), () => JSON.parse('{')]) try { f() } catch (e) { seen.push(String(e.stack)) } return { raw: seen.filter(s => /\\.js|node:|\\/work|file:|runner/.test(s)) }`,
  'a clone of an error shows no path of the host': `const seen = []; for (const f of [() => null.x, () => new URL('')]) try { f() } catch (e) { const c = structuredClone(e); seen.push(String(c.stack) + Object.getOwnPropertyNames(c).map(n => String(c[n]))) } return { raw: seen.filter(s => /node:|runner|at /.test(s)) }`,
}

const misshapen: Tries = {
  'a member __proto__ of the answer is refused': `return { raw: JSON.parse('{"a": {"__proto__": {"polluted": 1}, "b": 1}}') }`,
  'a header of a chosen response does not become a member of every object': `const { CustomHttpResponseError: C } = require('@surrogate/formula-errors'); throw new C({ status: 200, headers: JSON.parse('{"__proto__": "a", "x-a": "b"}') })`,
}

/** Formulas that find out nothing, and what they answer with behind the arrow. */
const harmless: Tries = {
  'the global object by a Function is the formula’s own': `return { raw: [Function('return this')() === globalThis, (0, eval)('this') === globalThis, typeof Function('return process')().binding] } // => [false,true,"undefined"]`,
  'a function reveals nothing about its caller': `return { raw: (function f() { return [f.caller ?? null, f.arguments ?? null] })() } // => [null,null]`,
  'process has an empty environment, and facts of no machine': `const { env, version, versions, pid, argv, execArgv, platform, arch } = process; return { raw: [env, version, versions, pid, argv, execArgv, platform, arch, process.cwd(), process.memoryUsage().rss, ['binding', 'dlopen', 'exit', 'kill', 'getBuiltinModule', 'mainModule', 'stdin', 'execPath', 'config', 'report', 'title', 'ppid', 'getuid'].filter(name => process[name] !== undefined)] } // => [{},"v16.20.2",{"node":"16.20.2"},1,["node","/formula.js"],[],"linux","x64","/",0,[]]`,
  'os has facts of no machine': `const os = require('os'); return { raw: [os.hostname(), os.cpus(), os.totalmem(), os.networkInterfaces(), os.userInfo().username, os.homedir(), os.release(), os.tmpdir()] } // => ["localhost",[],0,{},"","/","","/tmp"]`,
  'texts that are hard for the parser of URLs': `const u = require('url'); const hard = ['http://' + 'a'.repeat(1e5) + '!', ':'.repeat(1e5), 'http://' + 'a.'.repeat(1e5), '/'.repeat(1e5) + ' ', '?' + '&'.repeat(1e5), 'http://a@'.repeat(1e4), 'a:'.repeat(1e5), 'http://' + ':0'.repeat(1e5) + 'x', ' '.repeat(1e5) + 'x', 'http://' + '\u00fc'.repeat(1e5), '\\\\'.repeat(1e5)]; let n = 0; for (const text of hard) { try { u.parse(text, true); u.resolve('http://a/b', text) } catch {} n++ } return { raw: n } // => 11`,
  'texts that are hard for the functions of paths': `const p = require('path'); for (const text of ['../'.repeat(1e4), '/'.repeat(1e5) + 'x', './'.repeat(1e4) + 'a.b', 'a.'.repeat(1e4)]) { p.normalize(text); p.relative(text, '/a'); p.extname(text); p.parse(text) } return { raw: 1 } // => 1`,
  'a fetch of http that the operator does not allow is refused': `return { raw: await new Promise(done => require('http').get('http://127.0.0.1:1/').on('error', e => done(e.message))) } // => "fetch is not available: the operator allows no origin"`,
  'require and module lead nowhere': `return { raw: [Object.keys(require), Object.keys(module), typeof require.main, typeof require.cache, module.constructor === Object, __filename, __dirname] } // => [[],["exports"],"undefined","undefined",true,"/formula.js","/"]`,
  'a member __proto__ of a literal changes nothing else': `const o = JSON.parse('{"__proto__": {"polluted": 1}}'); return { raw: [({}).polluted ?? null, Object.assign({}, o).polluted] } // => [null,1]`,
  'Error.prepareStackTrace is given no call sites': `let got = null; try { Error.prepareStackTrace = (e, sites) => { got = sites.map(s => s.getFileName()); return '' } } catch {} const s = new Error('x').stack; return { raw: got } // => null`,
  'Error.captureStackTrace shows no path of the host': `const o = {}; Error.captureStackTrace(o); return { raw: /node:|\\/work|runner/.test(String(o.stack)) } // => false`,
  'the message of an error of the host shows no path': `const seen = []; for (const n of ['inspector', '/etc/passwd', 'x'.repeat(9)]) try { require(n) } catch (e) { seen.push(/node_modules|\\/work|\\/etc|inspector$/.test(e.message)) } return { raw: seen } // => [false,false,false]`,
  'a regular expression reveals nothing of earlier matches': `/(secret)/.test('secret'); return { raw: [RegExp.$1, RegExp.lastMatch, RegExp.input, RegExp['$_']].map(v => v ?? null) } // => [null,null,null,null]`,
  'fresh memory is empty': `const all = [Buffer.allocUnsafe(4096), new Uint8Array(4096), Buffer.from('x')]; return { raw: [all[0].every(b => b === 0), all[1].every(b => b === 0), all[2].buffer.byteLength] } // => [true,true,1]`,
  'a view may not lie about its length': `class Liar extends Uint8Array { get length() { return 1e6 } get byteLength() { return 1e6 } get buffer() { return new ArrayBuffer(1e6) } static get [Symbol.species]() { return Array } } const c = require('crypto'); return { raw: [c.createHash('sha256').update(new Liar([97])).digest('hex').slice(0, 8), new TextDecoder().decode(new Liar([98]))] } // => ["ca978112","b"]`,
  'an encoding may not change while it is checked': `let n = 0; const e = { toString: () => (n++ ? 'hex' : 'utf8') }; try { return { raw: Buffer.from('a').toString(e) } } catch (x) { return { raw: x.name } } // => "a"`,
  'globals replaced by the formula do not reach the host': `for (const n of ['JSON', 'Promise', 'Object', 'Array', 'Reflect', 'Error', 'TypeError', 'Map', 'Symbol']) globalThis[n] = null; return { raw: 1 } // => 1`,
  'an answer may be a promise of another kind': `return { then(resolve) { resolve({ raw: 'a' }); resolve({ raw: 'b' }); throw 1 } } // => "a"`,
  'an answer that changes between reads is read once': `let n = 0; return { get raw() { return ++n } } // => 1`,
  'an answer may be a proxy': `return new Proxy({}, { get: (_, n) => (n === 'raw' ? [1] : undefined), has: () => true }) // => [1]`,
  'toJSON cannot pass on references': `return { raw: { toJSON() { return { this: typeof this, g: typeof globalThis.boot } } } } // => {"this":"object","g":"undefined"}`,
  'a proxy that is printed runs in the formula': `console.log(new Proxy({}, { ownKeys() { throw new Error('trap') } }), new Proxy([], {})); return { raw: 1 } // => 1`,
  'the client cannot reach another server': `const { constructor: Surrogate } = req.svc; const other = new Surrogate({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }); try { await other.tokens.get('a') } catch (e) { return { raw: e.name } } // => "ConnectionError"`,
  'a fetch that the operator does not allow is refused': `try { await fetch('http://127.0.0.1:1/') } catch (e) { return { raw: [e.name, e.message] } } // => ["TypeError","fetch is not available: the operator allows no origin"]`,
  'the clock and the language reveal nothing about the host': `return { raw: [new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().timeZone, Intl.DateTimeFormat().resolvedOptions().locale, typeof Intl.Segmenter] } // => [0,"UTC","en-US","undefined"]`,
  'eval stays inside': `var secret = 1; return { raw: [eval('typeof process.binding'), eval('1 + 1'), (0, eval)('typeof require')] } // => ["undefined",2,"undefined"]`,
}

const failing: Readonly<Record<string, readonly [tries: string, detail: RegExp]>> = {
  'a bomb for zlib': [
    `const z = require('zlib'), part = z.gzipSync(Buffer.alloc(15e6)); z.gunzipSync(Buffer.concat([part, part]))`,
    /RangeError/,
  ],
  'a bomb for the streams of zlib': [
    `const z = require('zlib'), part = z.gzipSync(Buffer.alloc(15e6)), unzip = z.createGunzip(); const over = new Promise((_, fail) => unzip.on('error', fail)); unzip.write(part); unzip.end(part); await over`,
    /RangeError/,
  ],
  'a bomb for Brotli': [
    `require('zlib').brotliDecompressSync(Buffer.from('y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v1f/ZgN/gmAOCwA0O8aAA==', 'base64'))`,
    /RangeError/,
  ],
  'more bytes than zlib takes': [`require('zlib').deflateSync(Buffer.alloc(17e6))`, /RangeError/],
  'an unhandled rejection is a failure': [
    `Promise.reject(new TypeError('x')); await new Promise(r => setTimeout(r, 30)); return { raw: 1 }`,
    /TypeError/,
  ],
  'a throw in a timer is a failure': [
    `setTimeout(() => { throw new RangeError('x') }, 0); await new Promise(() => {})`,
    /RangeError/,
  ],
  'a throw in a microtask is a failure': [
    `queueMicrotask(() => { throw new SyntaxError('x') }); await new Promise(() => {})`,
    /SyntaxError/,
  ],
  'a throw in nextTick is a failure': [
    `process.nextTick(() => { throw new URIError('x') }); await new Promise(() => {})`,
    /URIError/,
  ],
}

/** Formulas that leave something behind, the next one of their tenant, and what that answers with. */
const leaving: Tries = {
  'a global by assignment is gone in the next invocation': `undeclared = 1; fetch.note = 1; return { raw: 1 } // then return { raw: [typeof undeclared, typeof globalThis.undeclared, typeof fetch.note] } // => ["undefined","undefined","undefined"]`,
  'a module is evaluated anew for each invocation': `try { require('@surrogate/formula-errors').left = 1 } catch {} return { raw: 1 } // then return { raw: typeof require('@surrogate/formula-errors').left } // => "undefined"`,
  'a member of the classes of streams is gone in the next invocation': `const s = require('stream'); for (const one of [s, s.Readable, s.Duplex]) { one.prototype.left = 1; one.left = 1 } s.Readable.prototype.push = () => 'taken'; return { raw: 1 } // then const s = require('stream'); return { raw: [s.prototype.left, s.Readable.left, s.Duplex.prototype.left, new s.Readable({ read() {} }).push('a')].map(one => one ?? null) } // => [null,null,null,true]`,
  'a file is gone in the next invocation': `require('fs').writeFileSync('/left', 'x'); return { raw: 1 } // then const fs = require('fs'); return { raw: [fs.existsSync('/left'), fs.readdirSync('/')] } // => [false,[]]`,
  'a change of modules of Node is gone in the next invocation': `const names = ['assert', 'fs', 'http', 'https', 'net', 'os', 'path', 'url', 'zlib', 'punycode', 'timers', 'tty', 'vm', 'async_hooks', 'worker_threads']; for (const name of names) { const m = require(name); m.left = 1; for (const one of Object.values(m)) if (typeof one === 'function') try { one.left = 1; if (one.prototype) one.prototype.left = 1 } catch {} } return { raw: 1 } // then const names = ['assert', 'fs', 'http', 'https', 'net', 'os', 'path', 'url', 'zlib', 'punycode', 'timers', 'tty', 'vm', 'async_hooks', 'worker_threads']; return { raw: names.filter(name => { const m = require(name); return [m, ...Object.values(m)].some(one => one?.left !== undefined || one?.prototype?.left !== undefined) }) } // => []`,
  'agents and their options are gone in the next invocation': `const https = require('https'), http = require('http'); https.globalAgent.options.key = 'x'; http.globalAgent.left = 1; https.globalAgent = null; http.STATUS_CODES[200] = 'taken'; http.ClientRequest.prototype.setHeader = () => {}; return { raw: 1 } // then const https = require('https'), http = require('http'); return { raw: [https.globalAgent.options, http.globalAgent.left ?? null, http.STATUS_CODES[200]] } // => [{},null,"OK"]`,
  'listeners of process never hear of another invocation': `for (const name of ['exit', 'uncaughtException', 'unhandledRejection', 'warning']) process.on(name, () => console.log('late')); process.left = 1; process.stdout.left = 1; process.versions.left = 1; return { raw: 1 } // then Promise.reject(1).catch(() => {}); await new Promise(r => setTimeout(r, 5)); return { raw: [process.left, process.stdout.left, process.versions.left, process.listeners('exit').length].map(one => one ?? null) } // => [null,null,null,0]`,
  'constants of crypto and zlib are those of Node in the next invocation': `try { require('crypto').constants.RSA_PKCS1_PADDING = 9 } catch {} require('zlib').constants.Z_FINISH = 9; return { raw: 1 } // then return { raw: [require('crypto').constants.RSA_PKCS1_PADDING, require('zlib').constants.Z_FINISH] } // => [1,4]`,
  'a store of async_hooks is gone in the next invocation': `const { AsyncLocalStorage } = require('async_hooks'); new AsyncLocalStorage().enterWith(1); AsyncLocalStorage.left = 1; return { raw: 1 } // then const { AsyncLocalStorage } = require('async_hooks'); return { raw: [new AsyncLocalStorage().getStore() ?? null, AsyncLocalStorage.left ?? null] } // => [null,null]`,
  'globals do not exist in the next invocation': `globalThis.left = 1; this; module.left = 1; process.env.LEFT = 'x'; console.left = 1; return { raw: 1 } // then return { raw: [typeof left, typeof module.left, Object.keys(process.env).length, typeof console.left] } // => ["undefined","undefined",0,"undefined"]`,
  'registered symbols carry no state': `const s = Symbol.for('note'); try { Object.prototype[s] = 1 } catch {} return { raw: 1 } // then return { raw: ({})[Symbol.for('note')] ?? null } // => null`,
  'microtasks without end after the answer end the process, not the answer': `const again = () => Promise.resolve().then(again); setTimeout(again, 0); queueMicrotask(() => queueMicrotask(again)); return { raw: 1 } // then return { raw: 2 } // => 2`,
  'a rejection after the answer has no effect': `setTimeout(() => Promise.reject(new Error('late')), 0); Promise.reject(1).catch(() => {}); return { raw: 1 } // then await new Promise(r => setTimeout(r, 30)); return { raw: 2 } // => 2`,
  'functions of an ended invocation do nothing': `const print = console.log; Promise.resolve().then(() => {}).then(() => {}).then(() => {}).then(() => {}).then(() => {}).then(() => { print('perhaps'); try { setTimeout(() => {}, 0) } catch {} }); return { raw: 1 } // then return { raw: 2 } // => 2`,
  'memory is released': `globalThis.kept = Array.from({ length: 60 }, () => new Uint8Array(1e6).fill(1)); return { raw: 1 } // then const a = Array.from({ length: 60 }, () => new Uint8Array(1e6).fill(1)); return { raw: a.length } // => 60`,
  'a pending timer does not fire after the invocation': `setTimeout(() => { console.log('late') }, 1); setInterval(() => { console.log('late') }, 1); return { raw: 1 } // then await new Promise(r => setTimeout(r, 30)); return { raw: 1 } // => 1`,
  'unfinished work does not see the next invocation': `req.svc.tokens.get('slow').then(() => console.log('late'), () => console.log('late')); return { raw: 1 } // then await new Promise(r => setTimeout(r, 30)); return { raw: 1 } // => 1`,
}

testAttacks([
  ...attacks(threw, refused),
  ...attacks({ kind: 'unusable' }, unusable),
  ...attacks(answered([]), finding),
  ...attacks(shape, misshapen),
  ...answering(harmless),
  ...Object.entries(failing).flatMap(([name, [tries, detail]]) =>
    attacks({ ...threw, detail }, { [name]: tries }),
  ),
  ...Object.entries(leaving).flatMap(([name, text]) => {
    const [tries = '', next = '', raw = ''] = text.split(/ \/\/ (?:then|=>) /)
    return attacks(answered(1), { [name]: tries }, { next, nextMust: answered(JSON.parse(raw)) })
  }),
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
    name: 'a loop without end after the answer',
    tries: `Promise.resolve().then(() => Promise.resolve()).then(() => Promise.resolve()).then(() => Promise.resolve()).then(() => { for (;;); }); return { raw: 1 }`,
    must: { kind: /answered|failed/ },
    given: { timeoutMs: 1_000 },
    next: `return { raw: 2 }`,
    nextMust: answered(2),
  },
])
