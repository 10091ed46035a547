import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'acorn'
import t from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))
const bins = ['server/bin/surrogate-server.js', 'conformance/bin/surrogate-conformance.js']

/** Runs a command as another version of Node would, and resolves with its exit code and output. */
const runAs = (version: string, bin: string) =>
  new Promise<{ code: unknown; output: string }>(resolve => {
    const versions = `{ value: { ...process.versions, node: '${version}' } }`
    const pretend = `Object.defineProperty(process, 'versions', ${versions}); Object.defineProperty(process, 'version', { value: 'v${version}' })`
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
    const { NODE_OPTIONS: _, ...env } = process.env
    execFile(process.execPath, [...flags, bin, '--version'], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })

for (const bin of bins) {
  const name = /([\w-]+)\.js$/.exec(bin)?.[1]

  t.test(`${name} says in one sentence which Node it needs`, async t => {
    for (const version of ['18.20.8', '20.18.3', '16.20.2']) {
      const sentence = `${name} needs Node 20.19 or later; this is v${version}\n`
      t.same(await runAs(version, bin), { code: 2, output: sentence })
    }
    t.notMatch((await runAs('20.19.0', bin)).output, /needs Node/, 'control')
  })

  t.test(`${name} parses on old versions of Node`, async t => {
    const text = readFileSync(`${root}${bin}`, 'utf8').replace(/^#!.*/, '')
    t.doesNotThrow(() => parse(text, { ecmaVersion: 2020, sourceType: 'module' }))
    t.throws(() => parse(`${text}\nawait 1`, { ecmaVersion: 2020, sourceType: 'module' }), 'control')
  })
}
