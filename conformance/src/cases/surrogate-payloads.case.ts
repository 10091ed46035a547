import { cases } from '../harness/case.ts'
import { card } from './values.ts'

/** Decisions about expressions, repeated requests and whole payloads where the specification is open. */
export const payloadCases = cases({
  'EXP-501.a: numbers and booleans keep their type alone, and become text beside other text': async c => {
    const { call } = await c.ruled('mask', ['token:read'])
    const mask = { n: '{{ data.n }}', b: '{{ data.b }}', t: 'n is {{ data.n }}', gone: '{{ data.none }}' }
    const { id } = await c.token({ data: { n: 7, b: true }, mask })
    c.equal((await c.read(id, call)).data, { n: 7, b: true, t: 'n is 7' }, 'masked data')
  },
  'EXP-503.a: a mask that takes too many steps is refused, however often it is sent': async c => {
    const create = (turns: number) => {
      const mask = `{% for a in (1..${turns}) %}{% for b in (1..10) %}{% assign x = b %}{% endfor %}{% endfor %}`
      return c.asPrivate('POST', '/tokens', { type: 'token', data: 1, mask, containers: [c.container] })
    }
    const tooMany = [1, 2, 3].map(time => [`1,000 times 10 turns, time ${time}`, 1_000])
    await c.refuses(400, create, 10, Object.fromEntries(tooMany))
  },
  'IDE-501.a: a create that is repeated under its key has the same response and is stored once': async c => {
    const { headers } = c.keyed()
    const send = () =>
      c.asPrivate('POST', '/tokens', { type: 'token', data: 1, containers: [c.container] }, { headers })
    const [one, two] = [c.success(await send(), 201), c.success(await send(), 201)]
    c.equal(two.body, one.body, 'the second answer')
    c.equal(await c.found(''), [one.body.id], 'what is stored')
  },
  'IDE-502.a: another body under a used key is 422': c => {
    const { headers } = c.keyed()
    const send = (data: number) => c.asPrivate('POST', '/tokens', { type: 'token', data }, { headers })
    return c.refuses(422, send, 1, { 'another body': 2 })
  },
  'IDE-503.a: the same key can be used for a valid request after a refusal': async c => {
    const { headers } = c.keyed()
    const send = (data?: number) => c.asPrivate('POST', '/tokens', { type: 'token', data }, { headers })
    c.refused(await send(), 400, 'one without data')
    c.success(await send(1), 201, 'a good one')
  },
  'TKZ-501.a: values become ids, described tokens become tokens, and the form stays the same': async c => {
    const described = { type: 'card', data: card, containers: [c.container] }
    const { body } = c.success(
      await c.asPrivate('POST', '/tokenize', { card: described, list: [c.tag, { n: 5 }] }),
      200,
    )
    c.equal(body.card.data?.number, 'XXXXXXXXXXXX4242', 'the card is masked')
    c.equal((await c.read(body.card.id)).data, card, 'the card')
    c.equal((await c.read(body.list[0])).data, c.tag, 'the text')
    c.equal((await c.read(body.list[1].n)).data, 5, 'the number')
  },
  'TKZ-502.a: one invalid value prevents all of a payload from being stored': async c => {
    const at = { type: 'token', data: 1, containers: [c.container] }
    const send = (second: object) => c.asPrivate('POST', '/tokenize', [at, second])
    await c.refuses<object>(400, send, at, { 'a bad card': { type: 'card', data: { number: '1' } } })
    c.equal((await c.found('')).length, 2, 'tokens of the control alone')
  },
  'TKZ-503.a: expressions become data: whole, inside text and through a filter': async c => {
    const [one, two] = [await c.token({ type: 'card', data: card }), await c.token({ data: '{{ x }}' })]
    const payload = {
      whole: `{{ ${one.id} }}`,
      part: `{{ ${one.id} | json: '$.number' }}`,
      text: `<{{ ${two.id} }}>`,
    }
    const { body } = c.success(await c.asPrivate('POST', '/detokenize', payload), 200)
    c.equal(body, { whole: card, part: card.number, text: '<{{ x }}>' }, 'the payload')
    const unknown = await c.asPrivate('POST', '/detokenize', {
      a: `{{ ${one.id} }}`,
      b: `{{ none-${c.tag} }}`,
    })
    c.refused(unknown, 400, 'a malformed id')
  },
  'TKZ-504.a: a caller that sees masked data detokenizes to masked data': async c => {
    const { id } = await c.token({ mask: 'X' })
    const { call } = await c.ruled('mask', ['token:use'])
    const send = async (one: typeof call) =>
      c.success(await one('POST', '/detokenize', { v: `{{ ${id} }}` }), 200).body
    c.equal(
      [await send(call), await send(c.asPrivate)],
      [{ v: 'X' }, { v: c.tag }],
      'under mask and under reveal',
    )
  },
})
