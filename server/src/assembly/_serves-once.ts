import { createVault } from '../vault.ts'

// Run by loaded-files.test.ts as a process of its own: a vault that serves a request, with `dev` or without.
const vault = createVault({ dev: process.argv[2] === 'dev' })
const { privateKey } = await vault.createTenant()
const response = await vault.fetch('http://vault/tokens', { headers: { 'SVC-API-KEY': privateKey } })
await vault.close()
process.stdout.write(String(response.status))
