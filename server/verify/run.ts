/** `npm run verify -- NAME [FLAG…]`: checks that take too long, or need too much, for `npm test`. */
import { runNamed } from './run-named.ts'

await runNamed('verify', {
  busy: 'server/verify/busy.ts',
  citus: 'server/verify/citus.ts',
  crash: 'server/verify/crash.ts',
  engines: 'server/verify/engines.ts',
  fuzz: 'server/verify/fuzz/run.ts',
  history: 'server/verify/history.ts',
  honest: 'conformance/selftest/run-honest.ts',
  mutants: 'conformance/selftest/run-mutants.ts',
  siege: 'server/verify/soak/siege.ts',
  soak: 'server/verify/soak/run.ts',
})
