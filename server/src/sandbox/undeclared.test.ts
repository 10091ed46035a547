import t from 'tap'
import { body, openSandbox } from './_fixture.ts'

const thrown = (expression: string) =>
  body(
    `try { ${expression} } catch (error) { return { raw: [error.name, error.message, error instanceof ReferenceError] } }`,
  )
const undeclared = (name: string) => ['ReferenceError', `${name} is not defined`, true]

// Code that can reach the object of its globals has a compartment of its own.
for (const [where, own] of [
  ['with shared globals', ''],
  ['with globals of its own', 'globalThis;'],
] as const) {
  t.test(`reading a name that nothing declares throws, ${where}`, async t => {
    const sandbox = openSandbox(t)
    const raw = (text: string) => sandbox.raw(own + text)
    t.same(await raw(thrown('return { raw: nothing }')), undeclared('nothing'))
    t.same(await raw(thrown('nothing.member')), undeclared('nothing'))
    t.same(await raw(thrown('nothing()')), undeclared('nothing'))
    t.same(await raw(body(`return { raw: typeof nothing }`)), 'undefined')
    t.same(
      await raw(body(`if (typeof window !== 'undefined') window.x = 1; return { raw: typeof(nothing) }`)),
      'undefined',
    )
    t.same(await raw(body(`made = 3; made++; return { raw: made }`)), 4)
    t.same(
      await raw(
        body(
          `const { a, b = 2 } = { a: 1 }; const f = (c, ...d) => c + d.length; return { raw: [a, b, f(1, 2)] }`,
        ),
      ),
      [1, 2, 2],
    )
    t.same(await raw(body(`return { raw: [typeof Array, typeof fetch, typeof undefined, isNaN(NaN)] }`)), [
      'function',
      'function',
      'undefined',
      true,
    ])
  })
}

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
  t.same(await sandbox.raw(thrown(`require('own'); return { raw: absent }`)), undeclared('absent'))
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
  t.match(await message('fs'), /^the module fs is not available/)
})
