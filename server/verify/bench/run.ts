/** `npm run bench -- NAME [FLAG…]`: measures what the figures in the documents come from. */
import { runNamed } from '../run-named.ts'

await runNamed('bench', {
  cold: 'server/verify/bench/cold.ts',
  copy: 'server/verify/bench/copy.ts',
  growth: 'server/verify/bench/growth/run.ts',
  requests: 'server/verify/bench/requests.ts',
  scale: 'server/verify/bench/scale.ts',
  sdk: 'sdk/bench/overhead.ts',
  search: 'server/verify/bench/search/run.ts',
})
