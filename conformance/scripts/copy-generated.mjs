/** Copies the generated files that are not TypeScript, as `tsc` does not. */
import { cp } from 'node:fs/promises'

const from = name => new URL(`../${name}`, import.meta.url)
await cp(from('src/generated'), from('dist/generated'), { recursive: true })
