/**
 * `npm run verify -- siege`: lets attackers of one tenant, and strangers without a key, do all that can hold up a server at
 * once, beside probes and the requests of another tenant. Checks that neither waits, and that memory stays within its bounds.
 * The exit code is 1 if not.
 *
 *   npm run verify -- siege [--minutes 60] [--only 'wide searches']
 *   npm run verify -- siege --each 8 [--only 'wide searches']     one attack after the other, 8 s each
 */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compileTests } from '../unit/compile-tests.ts'

// The server runs as it does for operators: a loader has source maps, with which each error takes much longer.
const folder = fileURLToPath(new URL('../../../.compiled/programs/', import.meta.url))
await compileTests([], folder)
process.env.COMPILED_PROGRAMS = pathToFileURL(folder).href
await import('./besiege.ts')
