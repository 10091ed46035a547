/** Copies the bundled client, which `tsc` does not. */
import { cp } from 'node:fs/promises'

const from = name => new URL(`../${name}`, import.meta.url)
await cp(from('src/generated/sdk.js'), from('dist/generated/sdk.js'))
