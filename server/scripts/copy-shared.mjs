/**
 * Each package is installable alone: the build puts the contract and the licence into all three. Run first,
 * it also clears what an earlier build left.
 */
import { copyFile, rm } from 'node:fs/promises'

const root = new URL('../../', import.meta.url)
for (const name of ['sdk', 'server', 'conformance']) {
  await rm(new URL(`${name}/dist`, root), { recursive: true, force: true })
  for (const file of ['openapi.yaml', 'LICENSE'])
    await copyFile(new URL(file, root), new URL(`${name}/${file}`, root))
}
