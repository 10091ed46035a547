import t from 'tap'
import { openSandbox } from '../_fixture.ts'
import { FormulaModuleRefused } from './bundle.ts'

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

t.test('a module that throws when it is loaded, or exports nothing, is refused at the check', async t => {
  const moduleRoot = t.testdir({
    'throws.cjs': `throw new Error('no document')`,
    'loads.cjs': `exports.a = 1`,
    'empty.cjs': `const a = 1`,
    'nothing.cjs': `module.exports = globalThis.FormerlyHere`,
  })
  const checked = (modules: string[]) =>
    openSandbox(t, { modules, moduleRoot })
      .checkModules()
      .catch(error => error.message)
  t.equal(
    await checked(['loads=./loads.cjs', 'throws=./throws.cjs']),
    'the module throws cannot be provided to formulas: it throws "no document" when it is loaded',
  )
  for (const name of ['empty', 'nothing']) {
    t.equal(
      await checked(['loads=./loads.cjs', `${name}=./${name}.cjs`]),
      `the module ${name} cannot be provided to formulas: it exports nothing`,
    )
  }
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

/** A package for Node that has other builds, too. */
const packageOf = (name: string, version: string, fields: object, files: Record<string, string>) => ({
  [name]: {
    'package.json': JSON.stringify({ name, version, main: 'node.js', ...fields }),
    'node.js': `require('net'); exports.build = 'node'`,
    ...files,
  },
})

t.test('a package whose build for pages exports nothing is taken in its build for bundlers', async t => {
  const files = { 'page.js': `var pages = { build: 'page' }`, 'page.mjs': `export const build = 'bundlers'` }
  const browser = { './node.js': './page.js', './module.mjs': './page.mjs' }
  const moduleRoot = t.testdir({
    node_modules: {
      ...packageOf('both', '1.0.0', { module: 'module.mjs', browser }, files),
      ...packageOf('page', '1.0.0', { browser }, files),
    },
  })
  const sandbox = openSandbox(t, { modules: ['both'], moduleRoot })
  t.equal(await sandbox.raw(`module.exports = () => ({ raw: require('both').build })`), 'bundlers')
  const error = await openSandbox(t, { modules: ['page'], moduleRoot })
    .start()
    .catch(error => error)
  t.equal(error.message, 'the module page cannot be provided to formulas: it exports nothing')
})

t.test(
  'two versions of a package stand side by side, and packages get the one that has their name',
  async t => {
    const version = (name: string, version: string) =>
      packageOf(name, version, { main: 'index.js' }, { 'index.js': `exports.version = '${version}'` })
    const moduleRoot = t.testdir({
      node_modules: {
        ...version('http-client', '0.27.0'),
        ...version('http-client-1', '1.0.0'),
        ...packageOf(
          'uses',
          '1.0.0',
          { main: 'index.js' },
          { 'index.js': `module.exports = require('http-client')` },
        ),
      },
      'own.cjs': `exports.own = require('http-client').version`,
    })
    const code = (names: readonly string[]) =>
      `module.exports = () => ({ raw: [${names.map(name => `require('${name}')`)}] })`
    const modules = ['http-client=http-client-1', 'uses']
    const aliased = openSandbox(t, { modules, moduleRoot })
    t.same(await aliased.raw(code(['http-client', 'uses'])), [{ version: '1.0.0' }, { version: '1.0.0' }])
    const both = openSandbox(t, { modules: ['http-client', 'http-client-1', 'uses'], moduleRoot })
    t.same(
      (await both.raw(code(['http-client', 'http-client-1', 'uses']))) as object[],
      ['0.27.0', '1.0.0', '0.27.0'].map(version => ({ version })),
    )
    const wrapped = openSandbox(t, { modules: ['http-client=./own.cjs'], moduleRoot })
    t.same(
      await wrapped.raw(code(['http-client'])),
      [{ own: '0.27.0' }],
      'a file may require what it stands for',
    )
  },
)
