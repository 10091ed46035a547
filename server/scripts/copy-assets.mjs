/** What the built server reads beside its code: the contract as JSON, and the page that shows it. */
import { cp } from 'node:fs/promises'

const root = new URL('../', import.meta.url)
for (const name of ['openapi.json', 'docs']) {
  await cp(new URL(`generated/${name}`, root), new URL(`dist/generated/${name}`, root), { recursive: true })
}
