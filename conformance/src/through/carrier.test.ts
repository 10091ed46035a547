import tap from 'tap'
import { contract, openReference } from '../../selftest/_reference.ts'
import { cases } from '../harness/case.ts'
import { run } from '../run.ts'
import { loadCarrier } from './carrier.ts'
import { type ClientModule, loadClient } from './client.ts'

/** A case that passes through the real client fails through one with a fault. */
const real = await loadClient()
const reference = await openReference()
tap.teardown(reference.close)

type Method = (...given: unknown[]) => unknown

/** Returns the client with another method to create tokens. */
function withCreate(change: (create: Method) => Method): ClientModule {
  const Surrogate = class {
    constructor(options: Readonly<Record<string, unknown>>) {
      const { tokens } = new real.Surrogate(options) as unknown as Record<'tokens', Record<string, Method>>
      const bound =
        (name: string): Method =>
        (...given) =>
          tokens[name]?.(...given)
      Object.assign(this, {
        tokens: { get: bound('get'), delete: bound('delete'), create: change(bound('create')) },
      })
    }
  }
  return { ...real, Surrogate: Surrogate as unknown as ClientModule['Surrogate'] }
}

const table = cases({
  'TOK-001.z: a token is created, and an invalid one refused': async c => {
    await c.read((await c.token()).id)
    c.refused(await c.asPrivate('POST', '/tokens', { type: 'token' }), 400)
  },
})

async function found(client?: ClientModule): Promise<string | undefined> {
  const carrier = await loadCarrier(reference.target, contract, client)
  const { results } = await run(reference.target, { contract, carrier, cases: table, profile: 'surrogate' })
  tap.ok(results[0]?.carried.includes('tokens.create'), 'the request was sent through the client')
  return results[0]?.findings[0]?.message
}

tap.test('the real client has no findings', async t => {
  t.equal(await found(), undefined)
})

tap.test('faults of a client are found', async t => {
  const wrong: Record<string, [change: (create: Method) => Method, finding: RegExp]> = {
    'returns something else': [
      create =>
        async (...given) => ({ ...((await create(...given)) as object), id: 'other' }),
      /result of the client/,
    ],
    'returns nothing': [
      create =>
        async (...given) =>
          void (await create(...given)),
      /result of the client/,
    ],
    'swallows errors': [
      create =>
        async (...given) => {
          try {
            return await create(...given)
          } catch {
            return {}
          }
        },
      /the server responded with 400/,
    ],
    'throws another error than APIError': [
      create =>
        async (...given) => {
          try {
            return await create(...given)
          } catch {
            throw new RangeError('no')
          }
        },
      /threw RangeError/,
    ],
  }
  for (const [name, [change, finding]] of Object.entries(wrong))
    t.match(await found(withCreate(change)), finding, name)
})
