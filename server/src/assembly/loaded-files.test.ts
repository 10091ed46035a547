import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'

// From source, as files that are compiled together cannot be told apart.
const program = fileURLToPath(new URL('_serves-once.ts', import.meta.url))

/** Returns the files of the server that a process loads, which it writes down as if its coverage were measured. */
async function filesLoadedBy(t: Test, kind: string): Promise<string[]> {
  const folder = t.testdir({})
  const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx', program, kind], {
    env: { ...process.env, NODE_V8_COVERAGE: folder },
  })
  t.equal(stdout, '200')
  const urls = readdirSync(folder).flatMap(name =>
    (JSON.parse(readFileSync(join(folder, name), 'utf8')).result as { url: string }[]).map(({ url }) => url),
  )
  return urls.flatMap(url => /\/server\/src\/(.*)/.exec(url)?.[1] ?? [])
}

t.test('a server in production loads nothing of what a development server adds', async t => {
  const ofDevelopment = (files: string[]) => files.filter(file => /^(dev\/|assembly\/development)/.test(file))
  t.test('in production', async t => {
    const files = await filesLoadedBy(t, 'production')
    t.ok(files.includes('assembly/assemble.ts'), `${files.length} files`)
    t.same(ofDevelopment(files), [])
  })
  t.test('the control: for development', async t => {
    t.ok(ofDevelopment(await filesLoadedBy(t, 'dev')).length > 10)
  })
})
