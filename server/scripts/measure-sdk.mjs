/** Says what the whole client weighs in a page, and fails where that is more than it promises. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** As the README says: 8 KB. */
export const mostBytes = 8 * 1024

/** Bytes of the client, from this entry on, bundled, minified and compressed. */
export async function measure(entryPoint) {
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
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
  const bytes = await measure(fileURLToPath(new URL('../../sdk/dist/index.js', import.meta.url)))
  const text = n => n.toLocaleString('en')
  process.stdout.write(
    `@surrogate/sdk: ${text(bytes)} bytes minified and compressed, of ${text(mostBytes)} at most\n`,
  )
  if (bytes > mostBytes) process.exitCode = 1
}
