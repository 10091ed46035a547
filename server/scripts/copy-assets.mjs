/** What the built server reads beside its code: the contract as JSON, its operations and validators, the page that shows it, and the sandbox's programs. */
import { cp } from 'node:fs/promises'

const root = new URL('../', import.meta.url)
for (const name of ['openapi.json', 'operations.json', 'validators', 'docs', 'sandbox']) {
  await cp(new URL(`generated/${name}`, root), new URL(`dist/generated/${name}`, root), { recursive: true })
}
