import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
// Plain JavaScript, so that the build can run it.
// @ts-expect-error it has no types
import { measure, mostBytes, mostBytesOfTokens } from '../server/scripts/release/measure-sdk.mjs'

const folder = new URL('./src/', import.meta.url)
const entryPoint = fileURLToPath(new URL('index.ts', folder))
/** The second is for tests against a development server. */
const entryPoints = ['index.ts', 'dev/index.ts']

/**
 * Adds the files of a client: those that its entry point imports, directly or not. The build, which has no types of Node, checks
 * that they use no globals of Node.
 */
function sources(url: URL, found = new Map<string, string[]>()) {
  const text = readFileSync(url, 'utf8')
  const imports = [...text.matchAll(/^(?:import|export)\b[^'"]*?from ['"](.+)['"]/gm)].map(([, to]) =>
    String(to),
  )
  found.set(url.pathname, imports)
  for (const to of imports) {
    const target = new URL(to, url)
    if (to.startsWith('.') && !found.has(target.pathname)) sources(target, found)
  }
  return found
}

t.test('the client imports its own files and nothing else', async t => {
  const found = new Map<string, string[]>()
  for (const name of entryPoints) sources(new URL(name, folder), found)
  const own = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)generated\//.test(name),
  )
  t.same(
    own.map(name => new URL(name, folder).pathname).filter(path => !found.has(path)),
    [],
    'every file is reached',
  )
  for (const [path, imports] of found) {
    for (const to of imports)
      t.match(to, /^\.\.?\/[\w./-]+\.ts$/, `${path.slice(folder.pathname.length)} imports ${to}`)
  }
})

t.test('tokens alone are at most 4.1 kB: bundlers leave out the rest', async t => {
  const size = await measure(entryPoint, '{ Tokens }')
  t.comment(`minified and compressed: ${size} bytes`)
  t.equal(mostBytesOfTokens, 4_100)
  t.ok(size <= mostBytesOfTokens, `${size} bytes`)
  t.ok(size < 0.6 * (await measure(entryPoint)), 'the rest is left out')
})

t.test('the whole client is at most 7.7 kB', async t => {
  const size = await measure(entryPoint)
  t.comment(`minified and compressed: ${size} bytes`)
  t.ok(size > 1000, 'it is all there')
  t.equal(mostBytes, 7_700)
  t.ok(size <= mostBytes, `${size} bytes`)
})
