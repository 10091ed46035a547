import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { card, times } from '../values.ts'
import type { Cell } from './cell.ts'
import { echoReactor } from './ways.ts'

/** Tokens that payloads refer to. `spaced` begins and ends with a space. */
const made = (c: Context) =>
  c.shared('tokens of payloads', async s => {
    const create = async (name: string, data: unknown, members: object = {}) => {
      const { id } = await s.token({ id: `${s.tag}-${name}`, data, ...members })
      return id as string
    }
    const spaced = (await s.token({ id: ` ${s.tag} spaced `, data: 'spaced' })).id as string
    return {
      text: await create('text', 'te{{ x }}xt'),
      number: await create('number', 12.5),
      truth: await create('truth', false),
      list: await create('list', [1, 'a', { b: null }]),
      object: await create('object', { a: 'one', n: 2, deep: { list: [7, 8] } }),
      card: await create('card', card, { type: 'card' }),
      dotted: (await s.token({ id: `${s.tag}.it's:"quoted" id`, data: 'dotted' })).id as string,
      spaced,
      tag: s.tag,
    }
  })
type Made = Awaited<ReturnType<typeof made>>

const detokenize = (c: Context, payload: unknown) => c.asPrivate('POST', '/detokenize', payload)
const object = { a: 'one', n: 2, deep: { list: [7, 8] } }

/** Payloads with references, and what becomes of them. */
const payloads: Readonly<Record<string, (ids: Made) => readonly [payload: unknown, filled: unknown]>> = {
  'whole-text': ({ text }) => [`{{ ${text} }}`, 'te{{ x }}xt'],
  'whole-number': ({ number }) => [`{{ ${number} }}`, 12.5],
  'whole-truth': ({ truth }) => [`{{ ${truth} }}`, false],
  'whole-list': ({ list }) => [`{{ ${list} }}`, [1, 'a', { b: null }]],
  'whole-object': ({ object: id }) => [`{{ ${id} }}`, object],
  'whole-card': ({ card: id }) => [`{{ ${id} }}`, card],
  'no-spaces': ({ number }) => [`{{${number}}}`, 12.5],
  'many-spaces': ({ number }) => [`{{   ${number}  }}`, 12.5],
  'text-before': ({ number }) => [`a{{ ${number} }}`, 'a12.5'],
  'text-behind': ({ number }) => [`{{ ${number} }} `, '12.5 '],
  'text-around': ({ text }) => [`<{{ ${text} }}>`, '<te{{ x }}xt>'],
  'two-beside': ({ number, truth }) => [`{{ ${number} }}{{ ${truth} }}`, '12.5false'],
  'same-twice': ({ number }) => [`{{ ${number} }}-{{ ${number} }}`, '12.5-12.5'],
  'object-in-text': ({ object: id }) => [`x{{ ${id} }}`, `x${JSON.stringify(object)}`],
  'list-in-text': ({ list }) => [`x{{ ${list} }}`, 'x[1,"a",{"b":null}]'],
  filter: ({ object: id }) => [`{{ ${id} | json: '$.a' }}`, 'one'],
  'filter-number': ({ object: id }) => [`{{ ${id} | json: '$.n' }}`, 2],
  'filter-in-text': ({ object: id }) => [`n={{ ${id} | json: '$.n' }}`, 'n=2'],
  'filter-quoted-braces': ({ number }) => [`{{ ${number} | append: '}}' }}`, '12.5}}'],
  'filter-escaped-quote': ({ number }) => [`{{ ${number} | append: "'" }}`, "12.5'"],
  'filter-backslash': ({ number }) => [`{{ ${number} | append: "\\"}}" }}`, '12.5"}}'],
  'two-filters': ({ text }) => [`{{ ${text} | upcase | slice: 0, 2 }}`, 'TE'],
  'filter-at-end': ({ number }) => [`{{ ${number} | append: 'x'}}`, '12.5x'],
  'closing-braces': ({ number }) => [`}} {{ ${number} }} }}`, '}} 12.5 }}'],
  'single-braces': ({ number }) => [`{ ${number} }`, `{ ${number} }`],
  'id-with-quotes': ({ dotted }) => [`{{ ${dotted} }}`, 'dotted'],
  'id-with-spaces': ({ spaced }) => [`{{ ${spaced} }}`, 'spaced'],
  'other-values': () => [
    { a: 1, b: null, c: true, d: 'plain' },
    { a: 1, b: null, c: true, d: 'plain' },
  ],
  nested: ({ number, text }) => [
    { a: [{ b: `{{ ${number} }}` }, [`{{ ${text} }}`]], c: {} },
    { a: [{ b: 12.5 }, ['te{{ x }}xt']], c: {} },
  ],
  'same-text-twice': ({ object: id }) => [
    [`{{ ${id} }}`, { x: `{{ ${id} }}` }],
    [object, { x: object }],
  ],
  token: ({ object: id }) => [`{{ token: ${id} }}`, { id, type: 'token', data: object, metadata: {} }],
  'token-in-text': ({ number: id }) => [
    `x{{ token: ${id} }}`,
    `x${JSON.stringify({ id, type: 'token', data: 12.5, metadata: {} })}`,
  ],
  'token-and-data': ({ number: id }) => [`{{ token: ${id} | json: '$.type' }} {{ ${id} }}`, 'token 12.5'],
  'filter-of-token': ({ object: id }) => [`{{ token: ${id} | json: '$.data.n' }}`, 2],
  'names-of-members': ({ number }) => [{ [`{{ ${number} }}`]: 1 }, { [`{{ ${number} }}`]: 1 }],
}

/** Texts that cannot be read as references to a token, or name none. */
const malformed: Readonly<Record<string, (id: string) => string>> = {
  'not-closed': id => `{{ ${id}`,
  'not-closed-behind-one': id => `{{ ${id} }} {{`,
  'half-closed': id => `{{ ${id} }`,
  empty: () => '{{ }}',
  'nothing-at-all': () => '{{}}',
  'within-another': id => `{{ {{ ${id} }} }}`,
  'brace-in-id': id => `{{ ${id}{ }}`,
  'character-of-no-id': id => `{{ ${id}#x }}`,
  'character-behind-id': id => `{{ ${id}x}}`,
  'character-before-id': id => `{{x${id} }}`,
  'too-short': () => '{{ ab }}',
  'no-id-before-filter': () => "{{ | append: 'x' }}",
  'open-quote': id => `{{ ${id} | append: 'x }}`,
  'filter-not-closed': id => `{{ ${id} | upcase`,
  'unknown-filter': id => `{{ ${id} | nofilter }}`,
  'filter-of-no-form': id => `{{ ${id} | | }}`,
  'filter-that-fails': id => `{{ ${id} | json: '$[' }}`,
}

/** Operations that fill in references. */
const ways: Readonly<
  Record<
    string,
    {
      readonly requirement: string
      readonly refusal: string
      /** The path of the payload in the request. */
      readonly root: string
      readonly needs: Cell['needs']
      fill(c: Context, payload: unknown): ReturnType<Context['asPrivate']>
      filled(body: unknown): unknown
    }
  >
> = {
  detokenize: {
    requirement: 'TKZ-503',
    refusal: 'TKZ-503',
    root: 'payload.',
    needs: [],
    fill: (c, payload) => detokenize(c, { payload }),
    filled: body => (body as { payload: unknown }).payload,
  },
  react: {
    requirement: 'INV-504',
    refusal: 'INV-505',
    root: 'args.payload.',
    needs: ['management'],
    fill: async (c, payload) => c.react(await echoReactor(c), { args: { payload } }),
    filled: body => (body as { raw: { payload: unknown } }).raw.payload,
  },
}

const cells = Object.entries(ways).flatMap(
  ([way, { requirement, refusal, root, needs, fill, filled }]): Row[] => [
    [
      `${requirement}.filled-${way}${marked(needs)}: ${way} replaces references: whole, inside text, by filters, and nothing else`,
      async c => {
        const ids = await made(c)
        for (const [name, of] of Object.entries(payloads)) {
          const [payload, expected] = of(ids)
          c.equal(filled(c.success(await fill(c, payload), 200, name).body), expected, name)
        }
      },
    ],
    [
      `${refusal}.malformed-${way}${marked(needs)}: ${way} refuses malformed references, and names where they are`,
      async c => {
        const { object: id } = await made(c)
        for (const [name, of] of Object.entries(malformed)) {
          const { body } = c.refused(await fill(c, { a: [0, of(id)] }), 400, name)
          if (body?.errors) c.equal(Object.keys(body.errors), [`${root}a.1`], `members of ${name}`)
        }
      },
    ],
  ],
)

const limitCells = cases({
  'TKZ-503.readings: detokenize takes 100 tokens whose ids differ in the spaces around them, and refuses 101':
    async c => {
      const spaces = times(101, index => ' '.repeat(index + 1))
      const create = (some: readonly string[]) =>
        c.asPrivate(
          'POST',
          '/tokenize',
          some.map(space => ({
            type: 'token',
            data: 1,
            id: `${space}${c.tag}${space}`,
            containers: [c.container],
          })),
        )
      for (const some of [spaces.slice(0, 51), spaces.slice(51)]) c.success(await create(some), 200)
      const send = (count: number) =>
        detokenize(
          c,
          spaces.slice(0, count).map(space => `{{ ${space}${c.tag}${space} }}`),
        )
      c.equal(
        c.success(await send(100), 200).body,
        times(100, () => 1),
        'the data of 100 tokens',
      )
      c.refused(await send(101), 400, '101 tokens')
      const one = (spaced: string) => `{{ ${spaced}${c.tag}${spaced} }}`
      const some = [one(spaces[0] ?? ''), one(' '.repeat(102))]
      c.refused(await detokenize(c, some), 400, 'one of which does not exist')
    },
  'TKZ-503.filters: detokenize takes many expressions with filters, and refuses 1,001': async c => {
    const { id } = await c.token({ data: 'x' })
    const send = (count: number) =>
      detokenize(
        c,
        times(count, () => `{{ ${id} | upcase }}`),
      )
    // All of them share a short time, in which a busy server may not evaluate 1,000.
    c.equal(c.success(await send(20), 200).body[19], 'X', 'the last of 20')
    c.refused(await send(1001), 400, '1,001')
    const failing = times(2, index => `{{ ${id} | divided_by: 0 }}${index}`)
    const { body } = c.refused(await detokenize(c, { a: failing }), 400, 'two that fail')
    c.equal(Object.keys(body?.errors ?? {}), ['a.0', 'a.1'], 'members that it names')
  },
  'TKZ-503.bytes: a payload has at most 5 MB once the data is in its place': async c => {
    const [most, size] = [5 * 2 ** 20, 1_000_000]
    const { id } = await c.token({ data: 'x'.repeat(size), fingerprint_expression: c.tag })
    const filled = JSON.stringify([...times(5, () => ''), '']).length + 5 * size
    const send = (bytes: number) =>
      detokenize(c, [...times(5, () => `{{ ${id} }}`), 'y'.repeat(bytes - filled)])
    c.equal(c.success(await send(most), 200).text.length, most, 'the length of the response')
    c.refused(await send(most + 1), 400, 'one byte more')
    c.refused(await detokenize(c, [`{{ ${id} }}`.repeat(6)]), 400, 'one text')
  },
  'TKZ-503.hundred: detokenize takes 100 different tokens, each as often as one likes, and refuses 101':
    async c => {
      const ids = await c.shared('101 tokens', async s => {
        const payload = times(51, () => ({ type: 'token', data: 1, containers: [s.container] }))
        const more = async () => c.success(await s.asPrivate('POST', '/tokenize', payload), 200).body
        return [...(await more()), ...(await more())].map((one: { id: string }) => one.id).slice(0, 101)
      })
      const send = (count: number) =>
        detokenize(
          c,
          [...ids.slice(0, count), ids[0]].map(id => `{{ ${id} }}`),
        )
      c.equal(
        c.success(await send(100), 200).body,
        times(101, () => 1),
        'the data of 100 tokens',
      )
      c.refused(await send(101), 400, '101 tokens')
      const often = times(1001, () => `{{ ${ids[0]} }}`)
      c.success(await detokenize(c, often), 200, 'one token 1,001 times')
    },
  'TKZ-503.megabytes [alone]: detokenize takes tokens with 15 MB of data, and refuses those with 18 MB':
    async c => {
      const data = { large: 'x'.repeat(1_000_000), small: 1 }
      const tokens = times(18, () => c.token({ data, fingerprint_expression: c.tag }))
      const ids = (await Promise.all(tokens)).map(one => one.id)
      const send = (count: number) =>
        detokenize(
          c,
          ids.slice(0, count).map(id => `{{ ${id} | json: '$.small' }}`),
        )
      c.equal(
        c.success(await send(15), 200).body,
        times(15, () => 1),
        'data of 15 MB',
      )
      c.refused(await send(18), 400, '18 MB')
    },
  'INV-502.detokenize: unknown tokens are all named, known ones are not': async c => {
    const { id } = await c.token()
    const [one, two] = [`${c.tag}-one`, `${c.tag}-two`]
    const reply = await detokenize(c, [`{{ ${one} }}`, { a: `x{{ ${id} }}{{ ${two} }}` }])
    c.refused(reply, 400)
    c.ok(
      [one, two].every(name => reply.text.includes(name)),
      'both are named',
      reply.text,
    )
    c.ok(!reply.text.includes(id), 'the known one is not named', reply.text)
  },
  'TKZ-504.redact [applications]: data that the rule does not show is null, and empty inside text':
    async c => {
      const [masked, plain] = [await c.token({ mask: 'X' }), await c.token()]
      const payload = [masked, plain].flatMap(({ id }) => [`{{ ${id} }}`, `<{{ ${id} }}>`])
      const seen = async (transform: string) => {
        const { call } = await c.ruled(transform, ['token:use'])
        return c.success(await call('POST', '/detokenize', payload), 200).body
      }
      c.equal(await seen('reveal'), [c.tag, `<${c.tag}>`, c.tag, `<${c.tag}>`], 'under reveal')
      c.equal(await seen('mask'), ['X', '<X>', null, '<>'], 'under mask')
      c.equal(await seen('redact'), [null, '<>', null, '<>'], 'under redact')
    },
})

/** References to tokens in payloads. */
export const referenceCases = cases([...cells, ...limitCells])
