/** Copies the licence and the changelog into each package, since each is installable alone, and removes earlier builds. */
import { copyFile, rm } from 'node:fs/promises'

const root = new URL('../../../', import.meta.url)
for (const name of ['sdk', 'server', 'conformance']) {
  await rm(new URL(`${name}/dist`, root), { recursive: true, force: true })
  for (const file of ['LICENSE', 'CHANGELOG.md'])
    await copyFile(new URL(file, root), new URL(`${name}/${file}`, root))
}
