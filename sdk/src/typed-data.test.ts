// Calls that the compiler must accept or refuse, checked by `npm run types`. Running it also checks the calls.
import t from 'tap'
import { fakeClient, json } from '../testing/fakes.ts'
import type {
  AcceptedInvocation,
  ArgumentsOf,
  Bank,
  Card,
  ContainerPath,
  CreateTokenRequest,
  DataOf,
  Masked,
  Pages,
  ReactorResult,
  SurrogateError,
  Token,
  TokenType,
} from './index.ts'
import { APIError, NotFoundError, Surrogate } from './index.ts'

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
  check<Same<typeof card, Token<Card, 'card'>>>()
  check<Same<typeof card.data, Card | Masked<Card> | undefined>>()
  const number: string | undefined = card.data?.number
  t.equal(number, undefined)

  const form: { cvc?: string | undefined } = {}
  await surrogate.tokens.create({ type: 'card', data: { number: '4242424242424242', cvc: form.cvc } })

  const bank = await surrogate.tokens.create({
    type: 'bank',
    data: { routing_number: '110000000', account_number: '000123456789' },
  })
  check<Same<typeof bank, Token<Bank, 'bank'>>>()

  const generic = await surrogate.tokens.create({ type: 'token', data: person })
  check<Same<typeof generic, Token<Person, 'token'>>>()

  const request = { type: 'card_number', data: '4242424242424242' } as CreateTokenRequest
  const any = await surrogate.tokens.create(request)
  check<Same<typeof any, Token<DataOf<TokenType>>>>()

  // @ts-expect-error a card has a number
  await surrogate.tokens.create({ type: 'card', data: { expiration_month: 1 } })
  // @ts-expect-error a card has no such member
  await surrogate.tokens.create({ type: 'card', data: { number: '4242424242424242', name: 'Jane' } })
  // @ts-expect-error there is no such type
  await surrogate.tokens.create({ type: 'unknown', data: 'C01X00T47' })
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
  check<Same<typeof accepted, AcceptedInvocation>>()
  const payload = await surrogate.detokenize<Person>(person)
  check<Same<typeof payload, Person>>()
  const deleted = await surrogate.tokens.delete('an-id')
  check<Same<typeof deleted, void>>()
  t.pass('it compiles')
})

t.test('the type of a token tells what its data is', async t => {
  const token = await surrogate.tokens.get('an-id')
  if (token.type === 'card') check<Same<typeof token.data, Card | Masked<Card> | undefined>>()
  if (token.type === 'card_number') check<Same<typeof token.data, string | undefined>>()
  if (token.type === 'token') check<Same<typeof token.data, unknown>>()
  // @ts-expect-error a bank account has no number
  if (token.type === 'bank') t.notOk(token.data?.number)
  for await (const listed of surrogate.tokens.list())
    if (listed.type === 'bank') t.type(listed.data?.account_number, 'string')
})

t.test('a key that reveals sees data whole', async t => {
  const { tokens } = surrogate.revealing()
  const one = tokens.get<Card>('an-id')
  type Data = Awaited<typeof one>['data']
  check<Same<Data, Card>>()
  const next = ({ expiration_month }: Data) => (expiration_month ?? 0) + 1
  t.equal(next({ number: '4', expiration_month: 11 }), 12)
  const found = tokens.search({ query: 'type:card' })
  type Found = Awaited<typeof found>['data'][number]
  const numberOf = (token: Found) => (token.type === 'card' ? token.data.number : undefined)
  t.equal(numberOf({ type: 'bank' } as Found), undefined)
  check<Same<Awaited<ReturnType<typeof tokens.update>>['data'], unknown>>()
  const create = () => tokens.create({ type: 'card', data: { number: '4' } })
  check<Same<Awaited<ReturnType<typeof create>>['data'], Card | Masked<Card> | undefined>>()
})

t.test('containers have a slash at both ends', async t => {
  const right: ContainerPath[] = ['/', '/pci/', '/pci/high/']
  // @ts-expect-error no slash at the end
  const wrong: ContainerPath = '/pci'
  await surrogate.tokens.update('an-id', { containers: right })
  // @ts-expect-error no slash at the start
  await surrogate.tokens.update('an-id', { containers: ['pci/'] })
  await surrogate.applications.create({
    name: 'a',
    type: 'private',
    rules: [
      // @ts-expect-error no slash at the end
      { priority: 1, container: '/pci', transform: 'mask', permissions: ['token:read'] },
    ],
  })
  // What a token shows can be sent back.
  const { containers } = await surrogate.tokens.get('an-id')
  await surrogate.tokens.update('another-id', { containers })
  t.equal(wrong, '/pci')
})

t.test('the parameters of a formula type the arguments of its reactors', async t => {
  const formula = await surrogate.reactorFormulas.create({
    name: 'Charge',
    type: 'private',
    code: '',
    request_parameters: [
      { name: 'amount', type: 'number' },
      { name: 'card.number', type: 'string' },
      { name: 'card.cvc', type: 'string', optional: true },
      { name: 'test', type: 'boolean', optional: true },
    ],
  })
  type Args = ArgumentsOf<typeof formula>
  const args: Args = { amount: 1, card: { number: '4' }, test: true }
  const react = (args: Args) => surrogate.reactors.react<{ id: string }, typeof formula>('an-id', { args })
  const result = await react(args)
  check<Same<typeof result, ReactorResult<{ id: string }>>>()
  await react({ amount: '{{ token-1 }}', card: '{{ token-2 }}', test: '{{ token-3 }}' })
  await surrogate.reactors.react<unknown, typeof formula>('an-id', { args: '{{ token-1 }}' })
  // @ts-expect-error the amount is missing
  await react({ card: { number: '4' } })
  // @ts-expect-error the amount is a number
  await react({ amount: '1', card: { number: '4' } })
  // @ts-expect-error the number is missing
  await react({ amount: 1, card: { cvc: '123' } })
  // @ts-expect-error no such parameter
  await react({ amount: 1, card: { number: '4' }, currency: 'EUR' })
  // @ts-expect-error args are missing
  await surrogate.reactors.react<unknown, typeof formula>('an-id', {})
  const later = await surrogate.reactors.react<unknown, typeof formula>('an-id', {
    args,
    callback_url: 'https://a.test',
  })
  check<Same<typeof later, AcceptedInvocation>>()
  t.pass('it compiles')
})

t.test('keys from the environment fit', async t => {
  const fromEnvironment = () =>
    new Surrogate({ apiKey: process.env.NO_SUCH_KEY, baseUrl: process.env.NO_SUCH_URL })
  t.throws(fromEnvironment, TypeError)
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
