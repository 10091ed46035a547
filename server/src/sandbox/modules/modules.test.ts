import t from 'tap'
import { body, openSandbox } from '../_fixture.ts'
import type { SandboxOptions } from '../sandbox.ts'
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

/** Modules and clients that cannot be used, and what the operator is told. */
const refused: readonly [given: Pick<SandboxOptions, 'modules' | 'client'>, says: RegExp | string][] = [
  [{ modules: ['own=./missing.js'] }, /the module own cannot be provided to formulas: Could not resolve/],
  [
    { modules: ['own=a=b'] },
    /own=a=b does not say which module own stands for; write NAME=PACKAGE or NAME=.\/file.js/,
  ],
  [{ modules: ['own='] }, /does not say which module own stands for/],
  [{ modules: ['=semver'] }, / is not the name of a package/],
  [{ modules: ['./own.js'] }, /.\/own.js is not the name of a package/],
  [{ modules: ['semver', 'semver=semver'] }, /the module semver is given twice/],
  [{ modules: ['a=b', 'b=a'] }, /the modules a → b → a stand for each other/],
  [
    { modules: ['own=./net.cjs'] },
    /the module own cannot be .+: it needs inspector, cluster of Node, which formulas do not have/,
  ],
  [{ modules: ['crypto=semver'] }, /crypto is a module that every formula has/],
  [
    { modules: ['loads=./loads.cjs', 'throws=./throws.cjs'] },
    'the module throws cannot be provided to formulas: it throws "no document" when it is loaded',
  ],
  [{ modules: ['empty=./empty.cjs'] }, /^the module empty cannot be .+: it exports nothing$/],
  [{ modules: ['nothing=./nothing.cjs'] }, /^the module nothing cannot be .+: it exports nothing$/],
  [{ client: 'missing.cjs' }, /the formula client missing.cjs cannot be used: Could not resolve/],
  [{ client: 'syntax.cjs' }, /the formula client syntax.cjs cannot be used: /],
  [{ client: 'throws.cjs' }, /the modules or the client of formulas cannot be loaded: /],
  [{ client: 'loads.cjs' }, /the formula client exports no function/],
]

t.test('a module or a client that cannot be used is refused in one sentence', async t => {
  const moduleRoot = t.testdir({
    'net.cjs': `require('inspector'); require('cluster')`,
    'throws.cjs': `throw new Error('no document')`,
    'loads.cjs': `exports.a = 1`,
    'empty.cjs': `const a = 1`,
    'nothing.cjs': `module.exports = globalThis.FormerlyHere`,
    'syntax.cjs': 'module.exports = client =>',
    'works.cjs': 'module.exports = client => client',
  })
  const check = (given: SandboxOptions) => openSandbox(t, { ...given, moduleRoot }).checkModules()
  for (const [given, says] of refused) {
    const error = await check(given).catch(error => error)
    t.ok(error instanceof FormulaModuleRefused, JSON.stringify(given))
    t.match(error.message, says)
  }
  await check({ modules: ['semver', 'other=semver', 'loads=./loads.cjs'], client: 'works.cjs' })
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
const packageOf = (
  name: string,
  version: string,
  fields: object,
  files: Record<string, string | Record<string, string>>,
) => ({
  [name]: {
    'package.json': JSON.stringify({ name, version, main: 'node.js', ...fields }),
    'node.js': `require('inspector'); exports.build = 'node'`,
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
  t.equal(
    error.message,
    'the module page cannot be provided to formulas: it needs inspector of Node, which formulas do not have',
  )
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

const adapter = `
  module.exports = (client, { camelCase, snakeCase }) => {
    const call = method => (...given) =>
      method(...given.map(one => snakeCase(one))).then(
        one => camelCase(one),
        error => { throw Object.assign(error, { data: camelCase(error.problem) }) },
      )
    return { vault: { store: call(token => client.tokens.create(token)), fetch: call(id => client.tokens.get(id)) } }
  }`

const service = async (request: { path: string; body?: Uint8Array }) =>
  request.path === '/tokens'
    ? {
        status: 201,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          id: 'a',
          created_by: 'b',
          data: JSON.parse(`${Buffer.from(request.body ?? [])}`),
        }),
      }
    : {
        status: 404,
        headers: { 'content-type': 'application/problem+json' },
        body: '{"title":"No","status":404,"trace_id":"t"}',
      }

t.test('formulas get the client that the adapter makes', async t => {
  const moduleRoot = t.testdir({ 'client.cjs': adapter })
  const sandbox = openSandbox(t, { client: 'client.cjs', moduleRoot })
  await sandbox.checkModules()
  const code = body(`
    const made = await req.svc.vault.store({ type: 'token', data: { ownName: 1 }, deduplicateToken: true })
    const { data } = await req.svc.vault.fetch('missing').catch(error => error)
    return { raw: [made, data, req.svc.tokens === undefined] }`)
  t.same(await sandbox.raw(code, { svc: service }), [
    { id: 'a', createdBy: 'b', data: { type: 'token', data: { ownName: 1 }, deduplicate_token: true } },
    { title: 'No', status: 404, traceId: 't' },
    true,
  ])
  t.equal(await sandbox.raw(body('return { raw: req.svc }')), null, 'no client, no adapter')
})

t.test('the adapter keeps nothing for the next invocation, and has no further rights', async t => {
  const moduleRoot = t.testdir({
    'client.cjs': `let calls = 0
      module.exports = client => ({
        count: () => ++calls,
        reach: () => [typeof process.binding, typeof process.env.PATH, globalThis.constructor === Object],
        call: () => fetch('http://a.test').catch(error => error.message),
      })`,
  })
  const sandbox = openSandbox(t, { client: './client.cjs', moduleRoot })
  const code = body('return { raw: [req.svc.count(), req.svc.reach(), await req.svc.call()] }')
  const answer = [
    1,
    ['undefined', 'undefined', true],
    'fetch is not available: the operator allows no origin',
  ]
  t.same(await sandbox.raw(code, { svc: service }), answer)
  t.same(await sandbox.raw(code, { svc: service }), answer)
})

t.test('a name may stand for a file of its own package, in other packages, too', async t => {
  const moduleRoot = t.testdir({
    node_modules: {
      ...packageOf('paper', '1.0.0', {}, { dist: { 'all.js': `exports.build = 'all'` } }),
      ...packageOf('uses', '1.0.0', { main: 'index.js' }, { 'index.js': `exports.paper = require('paper')` }),
    },
  })
  const sandbox = openSandbox(t, { modules: ['paper=paper/dist/all.js', 'uses'], moduleRoot })
  const code = `module.exports = () => ({ raw: [require('paper').build, require('uses').paper.build] })`
  t.same(await sandbox.raw(code), ['all', 'all'])
})

t.test('of the builds of a package the first that a formula can load is taken', async t => {
  const browser = { './node.js': './page.js' }
  const ofBuild = (page: string, node = `require('http'); exports.build = 'node'`) => ({
    'page.js': page,
    'node.js': node,
  })
  const modules = {
    // It loads and could send nothing.
    sends: ofBuild(`exports.build = 'page'; exports.send = () => new XMLHttpRequest()`),
    fetches: ofBuild(
      `exports.build = 'page'; exports.send = () => self.XMLHttpRequest ? new XMLHttpRequest() : fetch()`,
    ),
    changes: ofBuild(`Array.prototype.last = 1; exports.build = 'page'`),
    needs: ofBuild(`exports.build = document.title`),
    empty: ofBuild(`module.exports = {}`),
    loads: ofBuild(`exports.build = 'page'`),
    worker: ofBuild(`exports.build = 'page'`, `exports.build = 'any'`),
  }
  const moduleRoot = t.testdir({
    node_modules: Object.assign(
      {},
      ...Object.entries(modules).map(([name, files]) => packageOf(name, '1.0.0', { browser }, files)),
    ),
  })
  const names = Object.keys(modules)
  const sandbox = openSandbox(t, { modules: names, moduleRoot })
  const code = `module.exports = () => ({ raw: [${names.map(name => `require('${name}').build`)}] })`
  t.same(await sandbox.raw(code), ['node', 'page', 'node', 'node', 'node', 'page', 'any'])
})

t.test('data beside the code of a package become part of it, and its native code throws', async t => {
  const moduleRoot = t.testdir({
    node_modules: packageOf(
      'paper',
      '1.0.0',
      {},
      {
        'node.js': `const fs = require('fs'); exports.font = () => fs.readFileSync(__dirname + '/font.txt', 'utf8')
        exports.missing = () => { try { fs.readFileSync(__dirname + '/none.txt', 'utf8') } catch (error) { return error.code } }
        try { require('./build/fast.node') } catch (error) { exports.slow = error.message }`,
        'font.txt': 'é',
        build: { 'fast.node': 'binary' },
      },
    ),
  })
  const sandbox = openSandbox(t, { modules: ['paper'], moduleRoot })
  const code = `const paper = require('paper'); module.exports = () => ({ raw: [paper.font(), paper.missing(), paper.slow] })`
  t.same(await sandbox.raw(code), ['é', 'ENOENT', 'formulas have no native code'])
})

t.test('of several modules that are wrong the first one is named', async t => {
  const moduleRoot = t.testdir({ 'late.cjs': `require('inspector')` })
  for (const modules of [
    ['first=./none.cjs', 'own=./late.cjs'],
    ['own=./late.cjs', 'first=./none.cjs'],
  ]) {
    const error = await openSandbox(t, { modules, moduleRoot })
      .start()
      .catch(error => error)
    t.match(error.message, modules[0]?.startsWith('own') ? /^the module own / : /^the module first /)
  }
})
