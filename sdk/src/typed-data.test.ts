// Calls that the compiler must accept or refuse, checked by `npm run types`. Running it also checks the calls.
import t from 'tap'
import { fakeClient, json } from '../testing/fakes.ts'
import type {
  Bank,
  Card,
  CreateTokenRequest,
  DataOf,
  Masked,
  Pages,
  ReactorResult,
  SurrogateError,
  Token,
  TokenType,
} from './index.ts'
import { APIError, NotFoundError } from './index.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function check<_T extends true>() {}

interface Person {
  name: string
  address: { city: string; lines: string[] }
}
const person: Person = { name: 'Jane', address: { city: 'Berlin', lines: ['a'] } }
const { surrogate } = fakeClient(() => json({ pagination: {}, data: [] }))

t.test('create checks the data of each type and returns tokens of that type', async t => {
  const card = await surrogate.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
  check<Same<typeof card, Token<Card>>>()
  check<Same<typeof card.data, Card | Masked<Card> | undefined>>()
  const number: string | undefined = card.data?.number
  t.equal(number, undefined)

  const bank = await surrogate.tokens.create({
    type: 'bank',
    data: { routing_number: '110000000', account_number: '000123456789' },
  })
  check<Same<typeof bank, Token<Bank>>>()

  const generic = await surrogate.tokens.create({ type: 'token', data: person })
  check<Same<typeof generic, Token<Person>>>()

  const request = { type: 'card_number', data: '4242424242424242' } as CreateTokenRequest
  const any = await surrogate.tokens.create(request)
  check<Same<typeof any, Token<DataOf<TokenType>>>>()

  // @ts-expect-error a card has a number
  await surrogate.tokens.create({ type: 'card', data: { expiration_month: 1 } })
  // @ts-expect-error a card has no such member
  await surrogate.tokens.create({ type: 'card', data: { number: '4242424242424242', name: 'Jane' } })
  // @ts-expect-error there is no such type
  await surrogate.tokens.create({ type: 'passport', data: 'C01X00T47' })
  // @ts-expect-error data is never null
  await surrogate.tokens.create({ type: 'token', data: null })
  // @ts-expect-error cards cannot be searched by their data
  await surrogate.tokens.create({ type: 'card', data: { number: '4' }, search_indexes: ['{{ data }}'] })
})

t.test('data may be masked or absent', async t => {
  const token = await surrogate.tokens.get<Person>('an-id')
  // @ts-expect-error it may be absent
  t.equal(token.data.address, undefined)
  const masked: NonNullable<typeof token.data> = {}
  // @ts-expect-error a mask may leave out the address
  const city = (data: NonNullable<typeof token.data>) => data.address.city
  t.throws(() => city(masked))
  check<Same<Masked<Person>, { name?: string; address?: Masked<Person['address']> }>>()
  check<Same<Masked<number>, number | string>>()
  check<Same<(typeof token)['created_at'], string>>()
  const unknown = await surrogate.tokens.get('an-id')
  check<Same<typeof unknown.data, unknown>>()
})

t.test('lists, invocations and payloads are typed by the caller', async t => {
  const list = surrogate.tokens.list<Card>()
  check<Same<typeof list, Pages<Token<Card>>>>()
  const result = await surrogate.reactors.react<{ charge: string }>('an-id', { args: person })
  check<Same<typeof result, ReactorResult<{ charge: string }>>>()
  const accepted = await surrogate.reactors.react('an-id', {
    callback_url: 'https://a.test',
    timeout_ms: 20_000,
  })
  check<Same<typeof accepted, undefined>>()
  const payload = await surrogate.detokenize<Person>(person)
  check<Same<typeof payload, Person>>()
  const deleted = await surrogate.tokens.delete('an-id')
  check<Same<typeof deleted, void>>()
  t.pass('it compiles')
})

t.test('the compiler distinguishes the classes of errors', async t => {
  const describe = (error: SurrogateError) => {
    if (error instanceof NotFoundError) return error.name satisfies 'NotFoundError'
    if (error instanceof APIError) return error.status.toFixed()
    return error.status?.toFixed()
  }
  t.equal(describe(new NotFoundError('no', { status: 404, headers: new Headers() })), 'NotFoundError')
  t.equal(describe(new APIError('no', { status: 418, headers: new Headers() })), '418')
})
