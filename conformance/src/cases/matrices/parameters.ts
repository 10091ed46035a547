import { cases } from '../../harness/case.ts'

/** Parameters of requests: in paths, in queries, and URLs in bodies. */
export const parameterCases = cases({
  'PAG-541.spellings: parameters of a list without a value, or given twice': async c => {
    const { id } = await c.token({ metadata: { empty: '', run: c.tag } })
    // As they are written here: a client would spell them its own way.
    const list = (query: string) =>
      c.asPrivate('GET', `/tokens?metadata.run=${c.tag}&${query}`, undefined, { plain: true })
    for (const query of ['metadata.empty', 'metadata.empty=', '', '&&', 'page=1'])
      c.equal(c.ids(c.success(await list(query), 200, query).body), [id], query)
    const spaced = await c.token({ id: `${c.tag} x`, metadata: { run: c.tag, words: 'a b' } })
    c.equal(c.ids(c.success(await list('metadata.words=a+b'), 200).body), [spaced.id], 'a + in a query')
    c.refused(
      await c.asPrivate('GET', `/tokens/${c.tag}+x`, undefined, { plain: true }),
      undefined,
      'in a path',
    )
    for (const query of ['size', 'size=', 'page=1&page=1', 'size=5&size=5', 'page=1.0', 'page=+1'])
      c.refused(await list(query), 400, query)
  },
  'WIR-547.spellings: a filter in another spelling is refused, and the refusal has the right one':
    async c => {
      const { id } = await c.token({ metadata: { run: c.tag } })
      const list = (query: string) => c.asPrivate('GET', `/tokens?${query}`, undefined, { plain: true })
      c.equal(c.ids(c.success(await list(`id=${id}&metadata.run=${c.tag}`), 200).body), [id], 'the control')
      for (const [query, right] of [
        [`id[]=${id}&id[]=${c.tag}`, 'id'],
        [`id%5B%5D=${id}`, 'id'],
        [`id[0]=${id}`, 'id'],
        [`ids=${id}`, 'id'],
        [`Id=${id}`, 'id'],
        ['type[]=card', 'type'],
        ['Type=card', 'type'],
        [`metadata[]=${c.tag}`, 'metadata.'],
        [`metadata[run][]=${c.tag}`, 'metadata.'],
        [`metadata=${c.tag}`, 'metadata.'],
        [`metadata=["${c.tag}"]`, 'metadata.'],
        [`meta_data.run=${c.tag}`, 'metadata.'],
        [`Metadata.run=${c.tag}`, 'metadata.'],
        ['limit=5', 'size'],
        ['pageSize=5', 'size'],
        [`id=${id}&nothing`, 'id'],
        [`=${id}`, 'id'],
        // Two URLs that were joined: the first filter would be lost.
        [`?id=${id}`, 'id'],
        ['?type=card', 'type'],
        [`?metadata.run=${c.tag}`, 'metadata.'],
        ['?size=1', 'size'],
      ] as const) {
        const { body } = c.refused(await list(query), 400, query)
        const messages = Object.values<string[]>(body?.errors ?? {}).flat()
        c.ok(
          messages.some(message => message.includes(right)),
          `the errors of ${query} name ${right}`,
          messages,
        )
      }
      c.refused(await list(`metadata={"run":{"is":"${c.tag}"}}`), 400, 'an object in place of a value')
    },
  'WIR-548.spellings: a metadata filter finds the same in each of its spellings': async c => {
    const { id } = await c.token({ metadata: { run: c.tag, 'a.b': 'x y' } })
    await c.token({ metadata: { run: c.tag } })
    const list = (query: string) => c.asPrivate('GET', `/tokens?${query}`, undefined, { plain: true })
    const json = (value: object) => encodeURIComponent(JSON.stringify(value))
    for (const query of [
      `metadata.run=${c.tag}&metadata.a.b=x+y`,
      `metadata[run]=${c.tag}&metadata[a.b]=x+y`,
      `metadata%5Brun%5D=${c.tag}&metadata%5Ba.b%5D=x%20y`,
      `metadata=${json({ run: c.tag, 'a.b': 'X Y' })}`,
      `metadata.run=${c.tag}&metadata[a.b]=x+y`,
      `metadata[a.b]=x+y&metadata=${json({ run: c.tag })}`,
      // Of a repeated key the first counts.
      `metadata[run]=${c.tag}&metadata.a.b=x+y&metadata=${json({ run: 'other', 'a.b': 'other' })}`,
    ])
      c.equal(c.ids(c.success(await list(query), 200, query).body), [id], query)
  },
  'FOR-505.digits [management]: a name filter of digits is a text': async c => {
    const name = String(Math.floor(Math.random() * 1e12)).padStart(12, '1')
    const { id } = await c.formula({ name })
    const reply = await c.asManagement('GET', `/reactor-formulas?name=${name}`)
    c.equal(c.ids(c.success(reply, 200).body), [id], 'ids')
  },
  'ERR-503.bytes: a body that is not UTF-8 is refused, and a byte-order mark skipped': async c => {
    const send = (text: string, encoding: BufferEncoding) =>
      c.asPrivate('POST', '/tokens', undefined, {
        raw: Uint8Array.from(Buffer.from(text, encoding)),
        headers: { 'Content-Type': 'application/json' },
      })
    const text = `{"type":"token","data":"\u00e9${c.tag}","containers":["${c.container}"]}`
    const { id } = c.success(await send(text, 'utf8'), 201, 'the control').body
    c.equal((await c.read(id)).data, `\u00e9${c.tag}`, 'data')
    c.refused(await send(text, 'latin1'), 400, 'Latin-1')
    c.refused(await send(text, 'utf16le'), 400, 'UTF-16')
    const marked = c.success(await send(`\ufeff${text}`, 'utf8'), 201, 'behind a byte-order mark').body
    c.equal((await c.read(marked.id)).data, `\u00e9${c.tag}`, 'data behind a byte-order mark')
  },
  'ERR-501.json: the refusal of JSON that cannot be kept names the member, and of malformed JSON none':
    async c => {
      const send = async (data: string) => {
        const reply = await c.asPrivate('POST', '/tokens', undefined, {
          raw: `{"type":"token","data":${data},"containers":["${c.container}"]}`,
          headers: { 'Content-Type': 'application/json' },
        })
        return Object.keys(c.refused(reply, 400, data).body?.errors ?? {})
      }
      c.equal(await send('{"a":{"b":1,"b":2}}'), ['data.a.b'], 'a name twice')
      c.equal(await send('{"a":[1,9007199254740993]}'), ['data.a.1'], 'a great integer')
      c.equal(await send('{"a":'), [], 'a brace missing')
      await c.token()
    },
  'ERR-512.empty [management]: a path without its id is unknown': async c => {
    const { id } = await c.reactor()
    c.success(await c.asManagement('GET', `/reactors/${id}`), 200, 'the control')
    for (const path of ['/reactors//', '/reactors//react', '/reactor-formulas//'])
      c.refused(await c.asManagement('GET', path, undefined, { plain: true }), 404, path)
  },
  'ERR-502.words [management, applications]: other methods of /tokens/search and /applications/key are refused: GET with 404, as for an unknown id, or 405, others with 405':
    async c => {
      const read = c.refused(await c.asPrivate('GET', '/tokens/search', undefined, { plain: true }))
      c.ok([404, 405].includes(read.status), 'GET of a token is a 404 or 405', read.status)
      const body = { name: c.tag, type: 'private', permissions: ['token:read'] }
      for (const [method, path, given] of [
        ['PUT', '/tokens/search', {}],
        ['PUT', '/applications/key', body],
        ['DELETE', '/applications/key', undefined],
      ] as const) {
        const reply = await c.asManagement(method, path, given, { plain: true })
        c.refused(reply, 405, `${method} ${path}`)
        c.ok(
          (reply.headers.get('allow') ?? '') !== '',
          `the methods of ${path} are named`,
          reply.headers.get('allow'),
        )
      }
      c.success(await c.asManagement('GET', '/applications/key'), 200, 'the control')
    },
  'FOR-503.put [management]: a private formula cannot become an official one': async c => {
    const { id, name, code } = await c.formula()
    const put = (type: string) => c.asManagement('PUT', `/reactor-formulas/${id}`, { name, code, type })
    await c.refuses(403, put, 'private', { official: 'official' })
  },
  'REA-540.no-id [management, applications]: an update refuses an application without an id': async c => {
    const application = await c.application({ permissions: ['token:read'] })
    // Made later than its application, and so deleted before it.
    const { id } = await c.reactor()
    const patch = (value: object) => c.asManagement('PATCH', `/reactors/${id}`, { application: value })
    c.refused(await patch({}), 400, 'no id')
    c.success(await patch({ id: application.id }), 204, 'an id')
  },
  'INV-542.callbacks [management, callbacks]: a callback URL is refused if it is malformed, or has another scheme or a password':
    async c => {
      const reactor = await c.reactor()
      const { url } = (await c.inbox()).open()
      const send = (callback_url: string) => c.react(reactor, { args: {}, callback_url })
      await c.refuses(400, send, url, {
        'no address': 'http://999.999.999.999/',
        'another scheme': url.replace('http:', 'ftp:'),
        'a user': url.replace('://', '://user@'),
        'a password': url.replace('://', '://:password@'),
      })
    },
})
