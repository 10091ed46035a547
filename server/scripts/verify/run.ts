/** `npm run verify -- NAME [FLAG…]`: checks that take too long, or need too much, for `npm test`. */
import { runNamed } from '../run-named.ts'

await runNamed('verify', {
  citus: 'server/scripts/verify/citus.ts',
  crash: 'server/scripts/verify/crash.ts',
  engines: 'server/scripts/verify/engines.ts',
  fuzz: 'server/fuzz/run.ts',
  history: 'server/scripts/verify/history.ts',
  honest: 'conformance/selftest/run-honest.ts',
  mutants: 'conformance/selftest/run-mutants.ts',
  siege: 'server/soak/siege.ts',
  soak: 'server/soak/run.ts',
  systematic: 'conformance/selftest/systematic/main.ts',
  upgrade: 'server/scripts/verify/upgrade.ts',
})
