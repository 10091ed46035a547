/**
 * `npm run verify -- upgrade [--from COMMIT]`: packs and installs the server of the last release (`old-server.ts` says
 * which that is), and runs it beside the present one on one PostgreSQL database.
 */
import { parseArgs } from 'node:util'
import { installServerOf, lastRelease } from './old-server.ts'
import { runLong } from './unit/run-tests.ts'

const { values } = parseArgs({ options: { from: { type: 'string' } } })
const commit = values.from ?? (await lastRelease())
process.stdout.write(`the server of ${commit} is built, packed and installed, unless it was before\n`)
const folder = await installServerOf(commit)
process.exitCode = await runLong(['server/verify/system/upgrade.test.ts'], { SURROGATE_OLD_SERVER: folder })
