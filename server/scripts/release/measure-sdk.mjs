/** Prints the size of the client in a page, and fails if it is larger than its README says. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * As the README says: 7.7 kB for everything, 4.1 kB for tokens alone. Of these, 0.7 and 0.5 are for mistakes that were
 * silent: unknown options, values in queries, numbers that JSON does not have, and what CORS refuses.
 */
export const mostBytes = 7_700
export const mostBytesOfTokens = 4_100

/**
 * Returns the bytes of a client in a page that uses a class of it, or everything, bundled, minified and compressed: the
 * most of what the usual formats and targets make of it.
 */
export async function measure(entryPoint, used = '* as everything') {
  const [, name] = /(\w+)\W*$/.exec(used)
  const contents = `import ${used} from ${JSON.stringify(entryPoint)}\nglobalThis.used = ${name}`
  const ways = ['esm', 'iife'].flatMap(format => ['es2022', 'esnext'].map(target => ({ format, target })))
  const sizes = ways.map(async way => {
    const options = { bundle: true, minify: true, platform: 'browser', write: false, ...way }
    const { outputFiles } = await build({ stdin: { contents, resolveDir: '.' }, ...options })
    return gzipSync(outputFiles[0].contents).length
  })
  return Math.max(...(await Promise.all(sizes)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const entryPoint = fileURLToPath(new URL('../../../sdk/dist/index.js', import.meta.url))
  const parts = [
    ['everything', mostBytes, await measure(entryPoint)],
    ['tokens alone', mostBytesOfTokens, await measure(entryPoint, '{ Tokens }')],
  ]
  for (const [name, most, bytes] of parts) {
    const text = n => n.toLocaleString('en')
    process.stdout.write(
      `@surrogate/sdk, ${name}: ${text(bytes)} bytes minified and compressed, of ${text(most)} at most\n`,
    )
    if (bytes > most) process.exitCode = 1
  }
}
