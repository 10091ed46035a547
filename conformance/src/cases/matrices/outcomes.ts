import { cases } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { card, minute } from '../values.ts'

/** A formula that throws a response with the members of `args`, or returns `args.result`. */
const chosen = `const errors = require('@surrogate/formula-errors')
  module.exports = async ({ args: { response, result, error } }) => {
    if (response) throw new errors.CustomHttpResponseError(response)
    if (error) throw new errors[error]()
    return result
  }`
const chosenReactor = (c: Context) => c.shared('formula that chooses', s => s.reactor({ code: chosen }))

/** Responses with these statuses have no body (RFC 9110). */
const bodiless = [204, 205, 304]

/** Responses that formulas choose, and what their callers get. */
const responses: Readonly<
  Record<string, { given: object; status: number; text: string; headers?: Readonly<Record<string, string>> }>
> = {
  'no body': { given: { status: 204 }, status: 204, text: '' },
  'a body of null': { given: { status: 418, body: null }, status: 418, text: 'null' },
  ...Object.fromEntries(
    [203, 204, 205, 206, 303, 304, 305].map(status => [
      `null with the status ${status}`,
      { given: { status, body: null }, status, text: bodiless.includes(status) ? '' : 'null' },
    ]),
  ),
  'a success': { given: { status: 299, body: [1] }, status: 299, text: '[1]' },
  'another type of content': {
    given: { status: 418, headers: { 'content-type': 'application/vnd.tea+json' }, body: { a: 1 } },
    status: 418,
    text: '{"a":1}',
    headers: { 'content-type': 'application/vnd.tea+json', 'x-content-type-options': 'nosniff' },
  },
}

/** Values that a formula asks to tokenize and that are refused, and the members that the refusal names. */
const refused: Readonly<Record<string, readonly [tokenize: unknown, member: string]>> = {
  'an invalid card': [{ type: 'card', data: { number: '1' } }, 'tokenize.data.number'],
  'an invalid card in a list': [
    { a: [1, { type: 'card', data: { number: '1' } }] },
    'tokenize.a.1.data.number',
  ],
  'more than 100 values': [Array.from({ length: 101 }, () => 1), 'tokenize'],
  'an expiry in the past': [{ type: 'token', data: 1, expires_at: '2000-01-01' }, 'tokenize.expires_at'],
}

/** Values that JSON cannot hold, or that would be stored changed. */
const unstorable: Readonly<Record<string, string>> = {
  'a lone surrogate': `'\\ud800'`,
  'a great integer': '2 ** 53',
}

/** Results of formulas, and the responses made of them. */
export const outcomeCases = cases({
  'INV-508.responses [management]: a formula chooses status, type of content and body, or none': async c => {
    const reactor = await chosenReactor(c)
    for (const [name, { given, status, text, headers = {} }] of Object.entries(responses)) {
      const reply = await c.react(reactor, { args: { response: given } })
      c.equal([reply.status, reply.text], [status, text], name)
      for (const [header, value] of Object.entries(headers))
        c.equal((reply.headers.get(header) ?? '').split(';')[0], value, `${header} of ${name}`)
    }
  },
  'INV-512.chosen [management, callbacks]: the webhook of a formula that chooses its response contains status and body':
    async c => {
      const reactor = await chosenReactor(c)
      for (const response of [{ status: 418, body: { a: 1 } }, { status: 204 }]) {
        const { first } = await c.delivered(reactor, { response })
        c.equal(JSON.parse(first.text), response, `the webhook of ${response.status}`)
      }
    },
  'INV-514.body [management, callbacks, clock]: a repeated delivery has the body of the first, though its tokens are gone since, and the time of today':
    async c => {
      const reactor = await chosenReactor(c)
      const tokenize = { type: 'token', data: c.tag, mask: 'X', containers: [c.container] }
      const { box, first } = await c.delivered(reactor, { result: { tokenize } }, [500, 500])
      const { id, data } = JSON.parse(first.text).tokens
      c.equal(data, 'X', 'data')
      c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204, 'deleting the token')
      await c.eventually(async () => {
        if (box.deliveries.length < 3) await c.advance(20 * minute)
        return box.deliveries[2]
      }, 'the third delivery')
      for (const { text, headers } of box.deliveries) {
        c.equal(text, first.text, 'body')
        const age = Date.now() / 1000 - Number(headers['webhook-timestamp'])
        c.ok(Math.abs(age) < 86_400, 'webhook-timestamp is less than a day from now', `${age} s`)
      }
    },
  'INV-512.duplicate [management, callbacks]: a webhook shows a duplicate as its caller may read it':
    async c => {
      const { id } = await c.token({ metadata: { a: 'b' } })
      const tokenize = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
      const { first } = await c.delivered(await chosenReactor(c), { result: { tokenize } })
      const { tokens } = JSON.parse(first.text)
      c.equal([tokens.id, tokens.metadata], [id, { a: 'b' }], 'id and metadata')
    },
  'INV-507.no-errors [management]: the problem of a formula that gives no errors has none': async c => {
    const reply = await c.react(await chosenReactor(c), { args: { error: 'BadRequestError' } })
    c.equal([reply.status, reply.body?.errors], [400, undefined], 'status and errors')
  },
  'INV-506.refused [management]: the refusal of what a formula asks to tokenize names it, and no tokens are made':
    async c => {
      const reactor = await chosenReactor(c)
      const send = (tokenize: unknown) => c.react(reactor, { args: { result: { tokenize } } })
      for (const [name, [tokenize, member]] of Object.entries(refused)) {
        const { body } = c.refused(await send(tokenize), 400, name)
        c.equal(Object.keys(body?.errors ?? {}), [member], `errors of ${name}`)
      }
      const fine = { type: 'card', data: card, containers: [c.container] }
      c.success(await send(fine), 200, 'the control')
      const { id } = await c.token()
      const taken = { type: 'token', data: 1, id, containers: [c.container] }
      c.equal(
        Object.keys(c.refused(await send(taken), 409, 'an id that is taken').body?.errors ?? {}),
        ['tokenize.id'],
        'errors of an id that is taken',
      )
    },
  'INV-506.large [management]: a formula cannot tokenize a value of more than 1 MB': async c => {
    const code = `module.exports = async ({ args: { size, bare, at } }) => {
        const data = 'x'.repeat(size)
        return { tokenize: bare ? data : { type: 'token', data, containers: [at] } }
      }`
    const reactor = await c.reactor({ code })
    const send = (size: number, bare: boolean) => c.react(reactor, { args: { size, bare, at: c.container } })
    c.success(await send(2 ** 20 - 2, false), 200, 'the control')
    for (const [bare, member] of [
      [false, 'tokenize.data'],
      [true, 'tokenize'],
    ] as const) {
      const { body } = c.refused(await send(2 ** 20 - 1, bare), 400, member)
      c.equal(Object.keys(body?.errors ?? {}), [member], 'errors')
    }
  },
  'INV-521.unstorable [management]: a formula that tokenizes what cannot be stored unchanged fails':
    async c => {
      for (const [name, value] of Object.entries(unstorable)) {
        const reactor = await c.reactor({ code: `module.exports = async () => ({ tokenize: [${value}] })` })
        const reply = await c.react(reactor, { args: {} })
        c.equal([reply.status, reply.body?.title], [500, 'Reactor Runtime Error'], name)
      }
      c.equal(
        await c.ran({ code: 'module.exports = async () => ({ raw: 1, tokenize: null })' }, {}),
        1,
        'null',
      )
    },
})
