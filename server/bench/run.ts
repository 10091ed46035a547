/** `npm run bench -- NAME [FLAG…]`: measures what the figures in the documents come from. */
import { runNamed } from '../scripts/run-named.ts'

await runNamed('bench', {
  cold: 'server/bench/cold.ts',
  copy: 'server/bench/copy.ts',
  formulas: 'server/bench/formulas.ts',
  leaks: 'server/bench/leaks.ts',
  requests: 'server/bench/requests.ts',
  scale: 'server/bench/scale/run.ts',
  sdk: 'sdk/bench/overhead.ts',
  search: 'server/bench/search/run.ts',
  totals: 'server/bench/totals/run.ts',
})
