// Only in CI: it creates 22,000 tokens.
import t from 'tap'
import { checkGrowth } from './_growth.ts'

t.test('what a request asks of LevelDB does not grow to 21,480 tokens', t => checkGrowth(t, 5))
