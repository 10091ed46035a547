import tap from 'tap'
import { contract, openReference } from '../../selftest/_reference.ts'
import { cases } from '../harness/case.ts'
import { run } from '../run.ts'
import { loadCarrier } from './carrier.ts'
import { type Client, type ClientModule, loadClient } from './client.ts'

/** A client that is wrong in one thing turns a case red that is green through the true one. */
const real = await loadClient()
const reference = await openReference()
tap.teardown(reference.close)

type Method = (...given: unknown[]) => unknown

/** The client with its way to create tokens replaced. */
function withCreate(change: (create: Method) => Method): ClientModule {
  const Surrogate = class {
    constructor(options: Readonly<Record<string, unknown>>) {
      const client = new real.Surrogate(options)
      const create = change((...given) => client.tokens.create(...given))
      Object.assign(this, { tokens: { ...bound(client), create } })
    }
  }
  return { ...real, Surrogate: Surrogate as unknown as ClientModule['Surrogate'] }
}
const bound = ({ tokens }: Client) => ({
  get: (...given: unknown[]) => tokens.get(...given),
  delete: (...given: unknown[]) => tokens.delete(...given),
})

const table = cases({
  'TOK-001.z': [
    'a token is created, and a bad one refused',
    async c => {
      await c.read((await c.token()).id)
      c.refused(await c.asPrivate('POST', '/tokens', { type: 'token' }), 400)
    },
  ],
})

async function found(client?: ClientModule): Promise<string | undefined> {
  const carrier = await loadCarrier(reference.target, contract, client)
  const { results } = await run(reference.target, { contract, carrier, cases: table, profile: 'surrogate' })
  tap.ok(results[0]?.carried.includes('tokens.create'), 'it went through the client')
  return results[0]?.findings[0]?.message
}

tap.test('the true client is right', async t => {
  t.equal(await found(), undefined)
})

tap.test('a client that is wrong is found out', async t => {
  const wrong: Record<string, [change: (create: Method) => Method, finding: RegExp]> = {
    'answers something else': [
      create =>
        async (...given) => ({ ...((await create(...given)) as object), id: 'other' }),
      /what the client answers/,
    ],
    'answers nothing': [
      create =>
        async (...given) =>
          void (await create(...given)),
      /what the client answers/,
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
      /answers where the server says 400/,
    ],
    'throws what is no API error': [
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
