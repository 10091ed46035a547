import { inspect } from 'node:util'
import t from 'tap'
import { Plaintext } from './secret.ts'

t.test('a plaintext is shown by nothing but expose', async t => {
  const secret = new Plaintext({ number: '4242424242424242' })
  const shown = [
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret, { depth: 9, showHidden: true }),
    inspect({ secret }, { depth: 9 }),
    new Error(`about ${secret}`).message,
    Object.values(secret).join(),
  ]
  for (const text of shown) t.notMatch(text, /4242/)
  t.same(secret.expose(), { number: '4242424242424242' })
})
