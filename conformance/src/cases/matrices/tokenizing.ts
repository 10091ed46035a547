import { type Case, cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call } from '../../harness/target.ts'

type Shown = Record<string, unknown>

const tokenize = async (c: Context, payload: unknown, call: Call = c.asPrivate, key?: string) => {
  const options = key === undefined ? {} : c.keyed(key)
  return c.success(await call('POST', '/tokenize', payload, options), 200).body
}
const contents = (shown: Shown) =>
  ['data', 'metadata', 'mask', 'fingerprint_expression', 'search_indexes'].filter(
    name => (shown[name] ?? null) !== null,
  )

const cells: readonly (Row | Case)[] = [
  ...cases({
    'TKZ-501.duplicates: duplicates within a payload become one token where they ask for that': async c => {
      const one = (data: string, more: object = {}) => ({
        type: 'token',
        data,
        containers: [c.container],
        ...more,
      })
      const same = { deduplicate_token: true }
      const kept = await c.token({ data: `${c.tag}kept` })
      const payload = [
        one(c.tag),
        one(c.tag, { ...same, mask: 'X' }),
        one(c.tag),
        one(`${c.tag}2`, same),
        one(`${c.tag}2`, { ...same, metadata: { a: 'b' } }),
        one(`${c.tag}kept`, same),
        one(`${c.tag}kept`, same),
        `${c.tag}bare`,
        one(`${c.tag}3`),
        one(`${c.tag}3`),
        one(`${c.tag}3`, same),
        one(`${c.tag}4`, { ...same, id: `${c.tag}id` }),
        one(`${c.tag}4`, { ...same, id: `${c.tag}id` }),
      ]
      const shown = (await tokenize(c, payload, c.asPrivate, c.tag)) as Shown[]
      const ids = shown.map(item => (typeof item === 'string' ? item : item.id))
      c.equal(
        ids.map(id => ids.indexOf(id)),
        [0, 0, 2, 3, 3, 5, 5, 7, 8, 9, 8, 11, 11],
        'which are the same',
      )
      c.equal([ids[5], shown[4]?.metadata, shown[1]?.mask], [kept.id, undefined, undefined], 'the originals')
      c.equal((await c.found('')).length, 7, 'the number of tokens')
      c.equal(await tokenize(c, payload, c.asPrivate, c.tag), shown, 'the same request again')
    },
    'TKZ-501.unreadable [applications]: a caller who may not read is shown no contents of duplicates, and its own tokens masked':
      async c => {
        const { call } = await c.ruled('reveal', ['token:create'])
        const one = { type: 'token', data: c.tag, mask: 'X', metadata: { a: 'b' }, containers: [c.container] }
        const [first, second] = await tokenize(c, [one, { ...one, deduplicate_token: true }], call, c.tag)
        c.equal([first.data, first.metadata], ['X', { a: 'b' }], 'the first')
        c.equal([second.id, contents(second)], [first.id, []], 'the second')
        const [again, twice] = await tokenize(c, [one, { ...one, deduplicate_token: true }], call, c.tag)
        c.equal([again, twice], [first, second], 'the same request again')
      },
    'IDE-520.elsewhere [applications]: a repeated request that returned a duplicate needs token:create on the duplicate, too':
      async c => {
        const { id } = await c.token({ containers: [`${c.container}kept/`] })
        const { id: application, call } = await c.ruled('mask', ['token:create'])
        const body = {
          type: 'token',
          data: c.tag,
          containers: [`${c.container}own/`],
          deduplicate_token: true,
        }
        const { headers } = c.keyed(`${c.tag}one`)
        const create = () => call('POST', '/tokens', body, { headers })
        for (const which of ['first', 'second']) {
          c.equal((await tokenize(c, [body], call, c.tag))[0].id, id, `id of the ${which} payload`)
          c.equal(c.success(await create(), 200).body.id, id, `id of the ${which} create`)
        }
        const onlyOn = async (container: string) => {
          const rules = [{ priority: 1, container, transform: 'mask', permissions: ['token:create'] }]
          const path = `/applications/${application}`
          c.success(await c.asManagement('PUT', path, { name: c.tag, rules }), 200, 'the change of rights')
        }
        await onlyOn(`${c.container}kept/`)
        c.refused(await create(), 403, 'without token:create where the new one was to be')
        await onlyOn(`${c.container}own/`)
        c.refused(await create(), 403, 'without token:create on the duplicate')
        c.success(await call('POST', '/tokens', body), 201, 'the control: a new request')
      },
    'TKZ-505.given: an id that is given twice in a payload, or taken, is refused; one that an expression makes is replaced':
      async c => {
        const one = (id: string) => ({ type: 'token', data: 1, id, containers: [c.container] })
        const send = (...ids: string[]) => c.asPrivate('POST', '/tokenize', ids.map(one))
        const [a, b] = [`${c.tag}a`, `${c.tag}b`]
        c.refused(await send(a, a), 400, 'an id twice')
        const made = c.success(await send(a, `{{ '${a}' }}`, `{{ '${b}' }}`, `{{ '${b}' }}`), 200).body
        const ids = made.map((shown: Shown) => shown.id)
        c.equal(new Set(ids).size, 4, 'the number of ids')
        c.equal([ids[0], ids[2]], [a, b], 'ids that were free')
        c.refused(await send(`${c.tag}c`, a), 409, 'an id that is taken')
        c.refused(await c.asPrivate('GET', `/tokens/${c.tag}c`), 404, 'the token before it')
        const replaced = c.success(await send(`{{ '${a}' }}`), 200).body
        c.ok(replaced[0].id !== a, 'an expression that makes a taken id makes another token', replaced[0].id)
        const [early, given] = c.success(await send(`{{ '${c.tag}d' }}`, `${c.tag}d`), 200).body
        c.ok(early.id !== given.id, 'an expression before the id that it makes makes another token', early.id)
        c.equal(given.id, `${c.tag}d`, 'the id that is given')
        // A duplicate is not stored, so the id that it asks for stays free.
        const same = { ...one(`${c.tag}e`), data: c.tag }
        const original = { ...same, id: `${c.tag}f` }
        const payload = [original, { ...same, deduplicate_token: true }, one(`{{ '${c.tag}e' }}`)]
        const stored = c.success(await c.asPrivate('POST', '/tokenize', payload), 200).body
        c.equal(
          stored.map((shown: Shown) => shown.id),
          [original.id, original.id, `${c.tag}e`],
          'ids beside a duplicate',
        )
      },
    'TKZ-501.forms: each form of a payload stays as it is, with tokens in the place of values': async c => {
      const values = { text: c.tag, number: 5, truth: true, deep: { list: [['x'], {}, []] } }
      const shown = await tokenize(c, values)
      const data = async (id: string) => (await c.read(id)).data
      c.equal(await data(shown.text), c.tag, 'a text')
      c.equal(await data(shown.number), 5, 'a number')
      c.equal(await data(shown.truth), true, 'a boolean')
      c.equal(await data(shown.deep.list[0][0]), 'x', 'a text in lists')
      c.equal(shown.deep.list.slice(1), [{}, []], 'empty values')
      c.equal(await data(await tokenize(c, c.tag)), c.tag, 'a text alone')
      // An object with only one of type and data is no token.
      const parts = await tokenize(c, [{ type: 'token' }, { data: 'x' }])
      c.equal([await data(parts[0].type), await data(parts[1].data)], ['token', 'x'], 'parts of a token')
    },
    'TKZ-502.errors: the errors of a payload name each invalid value by its path': async c => {
      const wrong = { type: 'card', data: { number: '4242424242424241' } }
      const reply = await c.asPrivate('POST', '/tokenize', { a: [wrong], b: { c: wrong }, d: 'fine' })
      const named = Object.keys(c.refused(reply, 400).body?.errors ?? {})
      for (const path of ['a', 'b.c'])
        c.ok(
          named.some(name => name.startsWith(path)),
          `there is an error of ${path}`,
          named,
        )
      c.ok(!named.some(name => name.startsWith('d')), 'there is no error of d', named)
    },
    'TKZ-502.hundred: a payload makes at most 100 tokens': async c => {
      const send = (count: number) =>
        c.asPrivate(
          'POST',
          '/tokenize',
          Array.from({ length: count }, () => 'x'),
        )
      c.refused(await send(101), 400, '101 values')
      c.success(await send(100), 200, '100 values')
    },
  }),
  ...(['mask', 'redact'] as const).map(
    (transform): Row => [
      `TKZ-501.shown-${transform} [applications]: new tokens of a payload are shown under ${transform}, as the rule for token:create says`,
      async c => {
        const { call } = await c.ruled(transform, ['token:create'])
        const made = { type: 'token', data: c.tag, mask: 'X', containers: [c.container] }
        const [shown] = await tokenize(c, [made], call)
        c.equal(shown.data, transform === 'mask' ? 'X' : undefined, 'data')
      },
    ],
  ),
]

/** Content types of a create, and if they are accepted. */
const contentTypes: Readonly<Record<string, boolean>> = {
  'application/json': true,
  'Application/JSON': true,
  'application/json; charset=utf-8': true,
  'application/json;charset=UTF-8': true,
  'application/json ; charset="utf-8"': true,
  'application/json; charset=utf8': true,
  'application/json; other=1': true,
  'application/json; charset=latin1': false,
  'text/json': false,
  'text/plain': false,
  'application/merge-patch+json': false,
  'application/jsonx': false,
}
const contentTypeCell = cases({
  'ERR-504.types: a create takes JSON in UTF-8, however its type is spelled, and nothing else': async c => {
    const raw = JSON.stringify({ type: 'token', data: 1, containers: [c.container] })
    for (const [type, isAccepted] of Object.entries(contentTypes)) {
      const reply = await c.asPrivate('POST', '/tokens', undefined, {
        raw,
        headers: { 'Content-Type': type },
      })
      if (isAccepted) c.success(reply, 201, type)
      else c.refused(reply, 415, type)
    }
  },
})

/** Payloads that become tokens, and the types of bodies. */
export const tokenizingCases = cases([...cells, ...contentTypeCell])
