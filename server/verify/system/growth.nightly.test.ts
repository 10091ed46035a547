// Only at night: it creates a million tokens.
import t from 'tap'
import { checkGrowth } from './_growth.ts'

t.test('what a request asks of LevelDB does not grow to a million tokens', { timeout: 3_600_000 }, t =>
  checkGrowth(t, 244),
)
