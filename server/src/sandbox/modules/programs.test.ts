import t from 'tap'
import { body, openSandbox } from '../_fixture.ts'

/** Adds a word to code that gives it a compartment of its own, and has no effect. */
const alone = (code: string) => `/* globalThis */ ${code}`

/** A body that answers with what an expression throws. */
const thrown = (expression: string) =>
  `try { ${expression} } catch (error) { return { raw: [error.name, error.message, error instanceof ReferenceError] } }`
/** Splits code from the answer behind its arrow. */
const answered = (text: string): [code: string, raw: unknown] => {
  const [code = '', raw = ''] = text.split(' // => ')
  return [code, JSON.parse(raw)]
}
const undeclared = (name: string) => ['ReferenceError', `${name} is not defined`, true]

/** Each body has this answer in shared and in separate globals, and again in the next invocation. */
const alike: readonly string[] = [
  `const before = typeof fetch; fetch = 1; return { raw: [before, fetch] } // => ["function",1]`,
  `const before = typeof Date.now; Date = { x: 1 }; return { raw: [before, Date.x] } // => ["function",1]`,
  `const before = console.x; console.x = 1; return { raw: [String(before), console.x] } // => ["undefined",1]`,
  `const before = process.env.X; process.env.X = "a"; return { raw: [String(before), process.env.X] } // => ["undefined","a"]`,
  `process = console = undefined; return { raw: String([process, console]) } // => ","`,
  `[URL, Buffer] = [1, 2]; return { raw: [URL, Buffer] } // => [1,2]`,
  `try { Object.prototype.x = 1 } catch (error) { return { raw: error.name } } // => "TypeError"`,
  `const tag = parts => parts; const parts = tag\`a\`; try { parts.x = 1 } catch (error) { return { raw: error.name } } // => "TypeError"`,
  `const next = () => { next.count = (next.count ?? 0) + 1; return next.count }; return { raw: next() } // => 1`,
  `const pattern = /a/g; pattern.x = (pattern.x ?? 0) + 1; pattern.test("aa"); return { raw: [pattern.x, pattern.lastIndex] } // => [1,1]`,
  `${thrown('return { raw: nothing }')} // => ["ReferenceError","nothing is not defined",true]`,
  `${thrown('nothing.member')} // => ["ReferenceError","nothing is not defined",true]`,
  `${thrown('nothing()')} // => ["ReferenceError","nothing is not defined",true]`,
  `return { raw: [typeof nothing, typeof(nothing)] } // => ["undefined","undefined"]`,
  `if (typeof window !== 'undefined') window.x = 1; return { raw: typeof(nothing) } // => "undefined"`,
  `made = 3; made++; return { raw: made } // => 4`,
  `const { a, b = 2 } = { a: 1 }; const f = (c, ...d) => c + d.length; return { raw: [a, b, f(1, 2)] } // => [1,2,2]`,
  `return { raw: [typeof Array, typeof undefined, isNaN(NaN)] } // => ["function","undefined",true]`,
]

t.test('globals that an invocation changes are its own, and names that nothing declares throw', async t => {
  const sandbox = openSandbox(t)
  for (const [text, raw] of alike.map(answered)) {
    const code = body(text)
    for (const one of [code, code, alone(code), alone(code), code]) t.same(await sandbox.raw(one), raw, text)
  }
  t.equal(sandbox.counts().started, 1, 'all ran in the same process')
})

/** Each program, complete, has this answer in shared and in separate globals. */
const programs: readonly string[] = [
  `const URL = 1, console = 2; let crypto = 3; module.exports = () => ({ raw: [URL, console, crypto] }) // => [1,2,3]`,
  `function fetch() { return 4 } var process; module.exports = () => ({ raw: [fetch(), process ?? 5] }) // => [4,5]`,
  `"use strict"; exports.a = 1; module.exports = () => ({ raw: exports }) // => {"a":1}`,
  `this.a = 2; const own = this; module.exports = () => ({ raw: own === exports && own }) // => {"a":2}`,
  `module.exports = () => ({ raw: [__filename, __dirname] }); return; throw 1 // => ["/formula.js","/"]`,
  `let n = 0; module.exports = () => ({ raw: ++n }) // => 1`,
  `const count = arguments.length; module.exports = () => ({ raw: count }) // => 5`,
  `module.exports = () => ({ raw: require("crypto") === require("node:crypto") }) // the end // => true`,
]

t.test('programs mean the same in shared globals as in their own', async t => {
  const sandbox = openSandbox(t)
  for (const [code, raw] of programs.map(answered)) {
    for (const one of [code, code, alone(code)]) t.same(await sandbox.raw(one), raw, code)
  }
})

/** Each is not the body of a function, although text around it could make it one. */
const unbalanced = [
  '}); module.exports = 1; (() => {',
  '}})(); (function(){return (function(){',
  '} ; { module.exports = () => ({ raw: 1 })',
  'module.exports = () => ({ raw: 1 }) /*',
  'module.exports = () => ({ raw: `',
  'module.exports = () => ({ raw: 1 })) //',
]

t.test('code cannot leave the function around it', async t => {
  const sandbox = openSandbox(t)
  for (const code of unbalanced) {
    for (const one of [code, alone(code)]) {
      const outcome = await sandbox.formula(one)
      t.match(outcome, { kind: 'unusable', detail: /^the code does not compile: / }, code)
      t.same(await sandbox.formula(one), outcome, 'a second time')
    }
  }
  t.same(await sandbox.raw('{ module.exports = () => ({ raw: 1 }) }'), 1, 'control: balanced braces')
})

t.test('code reaches the object of its own globals, however it spells the name', async t => {
  const sandbox = openSandbox(t)
  const ways = [
    'globalThis',
    'global',
    'glob\\u0061lThis',
    '(0, eval)("global" + "This")',
    'new Function("return global" + "This")()',
  ]
  for (const way of ways) {
    const code = body(
      `const own = ${way}; const before = typeof own.seen; own.seen = 1; return { raw: [before, seen] }`,
    )
    for (const one of [code, code]) t.same(await sandbox.raw(one), ['undefined', 1], way)
  }
})

t.test('a process keeps few programs, and runs any number', async t => {
  const sandbox = openSandbox(t)
  const raws = async () => {
    const found: unknown[] = []
    for (let n = 0; n < 40; n++) found.push(await sandbox.raw(body(`return { raw: ${n} }`)))
    return found
  }
  const expected = Array.from({ length: 40 }, (_, n) => n)
  t.same(await raws(), expected)
  t.same(await raws(), expected)
})

t.test('the line of an error is that of the code', async t => {
  const sandbox = openSandbox(t)
  const code = '\n\nmodule.exports = () => {\n  null.x\n}'
  const expected = { kind: 'failed', detail: 'the formula threw a TypeError at line 4' }
  for (const one of [code, code, alone(code)]) t.match(await sandbox.formula(one), expected)
})

/** Bodies that only sloppy mode allows. */
const sloppy: readonly string[] = [
  `a = 1; b = a + 1; return { raw: [a, b] } // => [1,2]`,
  `const before = typeof n; n = 1; n++; n += 2; return { raw: [before, n] } // => ["undefined",4]`,
  `for (i = 0; i < 3; i++); for (k in { x: 1 }); for (v of [5]); return { raw: [i, k, v] } // => [3,"x",5]`,
  `const set = () => { late = 6 }; set(); return { raw: late } // => 6`,
  `return { raw: [010, 0777, 09, "\\101", 0o10] } // => [8,511,9,"A",8]`,
  `var v = 1; const gone = delete v; return { raw: [gone, v] } // => [false,1]`,
  `w = 1; const gone = delete w; return { raw: [gone, typeof w] } // => [true,"undefined"]`,
  `a = 010; return { raw: a + "<!--".length } // => 12`,
]

t.test('code without strict mode runs where it can be made to', async t => {
  const sandbox = openSandbox(t)
  for (const [text, raw] of sloppy.map(answered)) {
    const code = body(text)
    for (const one of [code, code, alone(code)]) t.same(await sandbox.raw(one), raw, text)
  }
  t.equal(await sandbox.raw('#!/usr/bin/env node\nmodule.exports = () => ({ raw: 1 })'), 1)
  t.same(
    await sandbox.raw(body('shown = 1; return { raw: globalThis.shown }')),
    1,
    'a global of the invocation',
  )
  t.same(await sandbox.raw(body('return { raw: typeof globalThis.shown }')), 'undefined')
})

t.test('a refusal of code names the line, and what to write', async t => {
  const sandbox = openSandbox(t)
  const refused: readonly [code: string, detail: RegExp][] = [
    ['\nwith (a) {}', /with is not supported; write the object before each of its members \(2:0\)$/],
    ['\n\nvar public = 1', /strict mode.* at line 3$/],
    ['\nconst a = ;', /Unexpected token.*\(2:10\)$/],
    ['function a(b, b) {}', /Duplicate parameter.* at line 1$/],
    ['module.exports = async req => {', /Unexpected token.*\(1:31\)$/],
    ['module.exports = async () => import("a")', /import is not supported; use require \(1:29\)$/],
    ['module.exports = { handler() {} }', /exports no function/],
  ]
  for (const [code, detail] of refused) t.match(await sandbox.formula(code), { kind: 'unusable', detail })
})

t.test('any name that is assigned to can be declared, and no program is refused for it', async t => {
  const sandbox = openSandbox(t)
  const words = 'let static yield async of get undefined NaN module console $ _1'.split(' ')
  const text = words.map(word => `"${word} = 1"; ({ ${word}: 1 }).${word} = 2`).join('; ')
  t.equal(await sandbox.raw(body(`${text}; return { raw: 1 }`)), 1)
  const many = Array.from({ length: 1_000 }, (_, n) => `"v${n} = 1"`).join('; ')
  t.equal(await sandbox.raw(body(`${many}; return { raw: 1 }`)), 1)
})

t.test('a member of the globals that does not exist is undefined', async t => {
  const sandbox = openSandbox(t)
  const code = body(`
    const read = () => { try { return nothing } catch (error) { return error.name } }
    const member = globalThis.nothing === undefined
    return { raw: [read(), member, globalThis.nothing ?? null, read(), 'other' in globalThis, typeof other] }`)
  t.same(await sandbox.raw(code), ['ReferenceError', true, null, 'ReferenceError', false, 'undefined'])
})

t.test('a module may ask by typeof for a name that the formula reads', async t => {
  const moduleRoot = t.testdir({ 'own.cjs': `exports.kind = () => typeof nothing` })
  const sandbox = openSandbox(t, { modules: ['own=./own.cjs'], moduleRoot })
  const code = body(`const { kind } = require('own'); return { raw: [kind(), typeof nothing] }`)
  t.same(await sandbox.raw(code), ['undefined', 'undefined'])
  t.same(await sandbox.raw(body(thrown(`require('own'); return { raw: absent }`))), undeclared('absent'))
})

t.test('the line of an error is that of the formula, whose client or module threw it', async t => {
  const moduleRoot = t.testdir({
    'own.cjs': `${'\n'.repeat(50)}exports.fail = () => { throw new Error('a') }`,
  })
  const sandbox = openSandbox(t, { modules: ['own=./own.cjs'], moduleRoot })
  const svc = async () => ({ status: 404, headers: {}, body: '' })
  const detail = async (code: string) => {
    const outcome = await sandbox.formula(code, { svc })
    return outcome.kind === 'failed' ? outcome.detail : outcome.kind
  }
  t.match(
    await detail(`\nmodule.exports = async ({ svc }) => {\n  await svc.tokens.get('a')\n}`),
    /at line 3$/,
  )
  t.match(await detail(`module.exports = async ({ svc }) => {\n  new URL('')\n}`), /at line 2$/)
  t.match(await detail(`module.exports = () => {\n\n  require('own').fail()\n}`), /at line 3$/)
})

t.test('a module that is missing is named', async t => {
  const sandbox = openSandbox(t)
  const message = (name: string) =>
    sandbox.raw(
      body(`try { require(${JSON.stringify(name)}) } catch (error) { return { raw: error.message } }`),
    )
  t.match(
    await message('some-package'),
    /^the module some-package is not available; the available ones are: @surrogate/,
  )
  t.match(await message('4242 4242 no name'), /^this module is not available/)
  t.match(await message('inspector'), /^the module inspector is not available/)
})
