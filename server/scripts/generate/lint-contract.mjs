/**
 * Lints openapi.yaml. The linter's notices about updates and its usage statistics are switched off: the tests
 * run without a network.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
const { status } = spawnSync(
  process.execPath,
  ['--disable-warning=DEP0040', cli, 'lint', 'openapi.yaml', '--config', '.redocly.yaml'],
  {
    cwd: new URL('../../../', import.meta.url),
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: 'inherit',
  },
)
process.exitCode = status ?? 1
