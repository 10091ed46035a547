/** Each package is installable alone: the build puts the licence into all three, and clears what an earlier build left. */
import { copyFile, rm } from 'node:fs/promises'

const root = new URL('../../', import.meta.url)
for (const name of ['sdk', 'server', 'conformance']) {
  await rm(new URL(`${name}/dist`, root), { recursive: true, force: true })
  await copyFile(new URL('LICENSE', root), new URL(`${name}/LICENSE`, root))
}
