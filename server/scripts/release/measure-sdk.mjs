/** Prints the size of the client in a page, and fails if it is larger than its README says. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** As the README says: 6.2 kB for everything, 3.5 kB for tokens alone. */
export const mostBytes = 6_200
export const mostBytesOfTokens = 3_500

/** Returns the bytes of some exports of an entry point, bundled, minified and compressed. */
export async function measure(entryPoint, exports = '*') {
  const { outputFiles } = await build({
    stdin: { contents: `export ${exports} from ${JSON.stringify(entryPoint)}`, resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    write: false,
  })
  return gzipSync(outputFiles[0].contents).length
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
