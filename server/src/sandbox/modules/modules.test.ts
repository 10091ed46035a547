import t from 'tap'
import { openSandbox } from '../_fixture.ts'
import { FormulaModuleRefused } from './modules.ts'

t.test('a name can stand for another package, a file, or a module of ours', async t => {
  const moduleRoot = t.testdir({
    'own.cjs': `const { createHash } = require('crypto'); exports.digest = text => createHash('sha256').update(text).digest('hex')`,
  })
  const modules = ['@vendor/errors=@surrogate/formula-errors', 'own=./own.cjs', 'versions=semver']
  const sandbox = openSandbox(t, { modules, moduleRoot })
  const code = `
    const { BadRequestError } = require('@vendor/errors')
    const same = BadRequestError === require('@surrogate/formula-errors').BadRequestError
    module.exports = async req => {
      if (req.args.fail) throw new BadRequestError({ a: ['no'] })
      return { raw: [same, require('own').digest('a').length, require('versions').major('4.5.6')] }
    }`
  t.same(await sandbox.raw(code), [true, 64, 4])
  t.match(await sandbox.formula(code, { args: { fail: true } }), {
    kind: 'refused',
    error: 'BadRequestError',
  })
})

t.test('a module that names nothing is refused', async t => {
  const moduleRoot = t.testdir({ 'net.cjs': `require('net'); require('http')` })
  const refused: readonly [modules: string[], says: RegExp][] = [
    [['own=./missing.js'], /the module own cannot be provided to formulas: Could not resolve/],
    [['own=a=b'], /own=a=b does not say which module own stands for; write NAME=PACKAGE or NAME=.\/file.js/],
    [['own='], /does not say which module own stands for/],
    [['=semver'], / is not the name of a package/],
    [['./own.js'], /.\/own.js is not the name of a package/],
    [['semver', 'semver=semver'], /the module semver is given twice/],
    [['a=b', 'b=a'], /the modules a → b → a stand for each other/],
    [
      ['own=./net.cjs'],
      /the module own cannot be provided to formulas: it needs net, http of Node, which formulas do not have/,
    ],
    [['crypto=semver'], /crypto is a module that every formula has/],
  ]
  for (const [modules, says] of refused) {
    const sandbox = openSandbox(t, { modules, moduleRoot })
    const error = await sandbox.start().catch(error => error)
    t.ok(error instanceof FormulaModuleRefused, modules.join())
    t.match(error.message, says)
  }
  await openSandbox(t, { modules: ['semver', 'other=semver'], moduleRoot }).start()
})

t.test('a module that throws when it is loaded is refused at the check', async t => {
  const moduleRoot = t.testdir({
    'throws.cjs': `throw new Error('no document')`,
    'loads.cjs': `exports.a = 1`,
  })
  const checked = (modules: string[]) =>
    openSandbox(t, { modules, moduleRoot })
      .checkModules()
      .catch(error => error.message)
  t.equal(
    await checked(['loads=./loads.cjs', 'throws=./throws.cjs']),
    'the module throws cannot be provided to formulas: it throws "no document" when it is loaded',
  )
  t.equal(await checked(['loads=./loads.cjs']), undefined)
})

t.test('a name that stands for one of ours does so in packages, too', async t => {
  const moduleRoot = t.testdir({
    'own.cjs': `const { BadRequestError } = require('@vendor/errors'); exports.Own = BadRequestError`,
  })
  const modules = ['@vendor/errors=@other/errors', '@other/errors=@surrogate/formula-errors', 'own=./own.cjs']
  const sandbox = openSandbox(t, { modules, moduleRoot })
  const code = `module.exports = () => ({ raw: require('own').Own === require('@vendor/errors').BadRequestError })`
  t.equal(await sandbox.raw(code), true)
})
