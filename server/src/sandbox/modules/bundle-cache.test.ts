import { chmodSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { silentLog } from '../../base/log.ts'
import { openSandbox } from '../_fixture.ts'

const code = `module.exports = () => ({ raw: require('a').value })`

/** A package, and a cache for its bundle. */
function packageIn(t: Test) {
  const moduleRoot = t.testdir({
    node_modules: {
      a: {
        'package.json': '{ "name": "a", "version": "1.0.0", "main": "index.js" }',
        'index.js': `exports.value = require('./part.js')`,
        'part.js': 'module.exports = 1',
        'other.js': 'exports.value = 3',
      },
    },
  })
  const moduleCache = join(moduleRoot, 'cache')
  /** Returns the modules that were bundled, and what a formula gets. */
  const start = async (modules = ['a'], folder = moduleCache) => {
    const bundled: unknown[] = []
    const log = { ...silentLog, info: (_: string, details?: object) => void bundled.push(details) }
    const sandbox = openSandbox(t, { modules, moduleRoot, moduleCache: folder, log })
    const value = await sandbox.raw(code)
    return [bundled.length, value]
  }
  const change = (name: string, text: string) => writeFileSync(join(moduleRoot, 'node_modules/a', name), text)
  return { moduleRoot, moduleCache, start, change }
}

t.test('a module is bundled once, and again when one of its files changes', async t => {
  const { start, change } = packageIn(t)
  t.same(await start(), [1, 1])
  t.same(await start(), [0, 1])
  change('part.js', 'module.exports = 2')
  t.same(await start(), [1, 2])
  t.same(await start(), [0, 2])
  change('package.json', '{ "name": "a", "version": "1.0.0", "main": "other.js" }')
  t.same(await start(), [1, 3])
  t.same(await start(), [0, 3])
})

t.test('a bundle that is made otherwise is another one', async t => {
  const { start } = packageIn(t)
  await start()
  t.same(await start(['a=./node_modules/a/other.js']), [1, 3])
  t.same(await start(), [0, 1])
})

t.test('a folder or file that others can write is not read', async t => {
  const { start, moduleCache, moduleRoot } = packageIn(t)
  await start()
  const [file = ''] = readdirSync(moduleCache)
  chmodSync(moduleCache, 0o777)
  t.same(await start(), [1, 1])
  chmodSync(moduleCache, 0o700)
  t.same(await start(), [0, 1], 'the control')
  chmodSync(join(moduleCache, file), 0o666)
  t.same(await start(), [1, 1])
  t.same(await start(), [0, 1], 'it was replaced')
  symlinkSync(moduleCache, join(moduleRoot, 'link'))
  t.same(await start(['a'], join(moduleRoot, 'link')), [1, 1])
})

t.test('without a place for it, and with a damaged one, modules are bundled', async t => {
  const { start, moduleCache, moduleRoot } = packageIn(t)
  writeFileSync(join(moduleRoot, 'file'), '')
  t.same(await start(['a'], join(moduleRoot, 'file', 'cache')), [1, 1])
  await start()
  const [file = ''] = readdirSync(moduleCache)
  writeFileSync(join(moduleCache, file), '{"files":')
  t.same(await start(), [1, 1])
})

t.test('what was not used for 30 days goes when something is written', async t => {
  const { start, moduleCache } = packageIn(t)
  mkdirSync(moduleCache, { mode: 0o700 })
  const [old, used] = ['old.json', 'used.json'].map(name => join(moduleCache, name)) as [string, string]
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000)
  for (const [file, days] of [
    [old, 31],
    [used, 29],
  ] as const) {
    writeFileSync(file, '')
    utimesSync(file, daysAgo(days), daysAgo(days))
  }
  await start()
  const [made = ''] = readdirSync(moduleCache).filter(name => !['old.json', 'used.json'].includes(name))
  t.same(readdirSync(moduleCache).sort(), [made, 'used.json'].sort())
  utimesSync(join(moduleCache, made), daysAgo(31), daysAgo(31))
  t.same(await start(), [0, 1])
  await start(['a=./node_modules/a/other.js'])
  t.ok(readdirSync(moduleCache).includes(made), 'it was used')
})
