import { bodyOf, failing, intercept, type Mutants, responseFrom, tokenSearch, tokens } from '../mutate.ts'

const anyList = /^\/(tokens|reactor-formulas|reactors|applications|logs)$/

/** Changes the query of lists. */
const asks = (path: RegExp, change: (query: URLSearchParams) => void) =>
  intercept('GET', path, (received, send) => {
    const query = new URLSearchParams(received.search)
    change(query)
    return send({ search: `?${query}` })
  })

/** Mutants of pages, errors and HTTP. */
export const wireMutants: Mutants = {
  'lists-10-by-default': failing(
    'PAG-543.tokens-default',
    'PAG-543.logs-default',
    'PAG-543.reactors-default',
  ).by(
    asks(anyList, query => {
      if (!query.has('size')) query.set('size', '10')
    }),
  ),
  'lists-at-most-20': failing(
    'PAG-543.tokens-at-100',
    'PAG-543.formulas-at-100',
    'PAG-543.applications-at-100',
  ).by(
    asks(anyList, query => {
      if (Number(query.get('size')) > 20) query.set('size', '20')
    }),
  ),
  'jobs-of-any-size': failing('PAG-501.bounds-jobs').by(
    asks(/^\/jobs$/, query => {
      if (!(Number(query.get('size') ?? 1) >= 1)) query.set('size', '1')
    }),
  ),
  'search-at-most-50': failing('PAG-543.search-at-100').setInRequest('POST', tokenSearch, body => ({
    size: Math.min(body.size ?? 20, 50),
  })),
  'last-page-again': failing('PAG-543.tokens-far-past-the-end').intercept(
    'GET',
    tokens,
    async (received, send) => {
      const response = await send()
      const body = await bodyOf(response)
      const { total_pages = 0, page_number = 0 } = body?.pagination ?? {}
      if (!response.ok || total_pages === 0 || page_number <= total_pages) return response
      const query = new URLSearchParams(received.search)
      query.set('page', String(total_pages))
      const last = await bodyOf(await send({ search: `?${query}` }))
      return responseFrom(response, { body: { ...body, data: last.data } })
    },
  ),
  // The response to an unknown method is a 404.
  'method-as-404': failing('ERR-502.a').changeStatus('PUT', tokens, 405, 404),
  // A query parameter that the contract does not name is ignored.
  'unknown-parameter-ignored': failing('WIR-547.tokens', 'WIR-547.spellings').by(next => request => {
    const url = new URL(request.url)
    for (const name of [...url.searchParams.keys()])
      if (!/^(id|type|page|size|start|metadata(\..+|\[.+\])?)$/.test(name)) url.searchParams.delete(name)
    return next(url.href === request.url ? request : new Request(url, request))
  }),
  // The query begins behind the last `?`, so that the first filter of joined URLs is lost.
  'second-question-mark-dropped': failing('WIR-547.spellings').by(next => request => {
    const url = request.url.replace(/\?\?[^&]*&?/, '?')
    return next(url === request.url ? request : new Request(url, request))
  }),
  // A metadata filter in brackets, or as JSON, is ignored.
  'brackets-ignored': failing('WIR-548.spellings').by(
    asks(tokens, query => {
      for (const name of [...query.keys()]) if (/^metadata\[/.test(name)) query.delete(name)
    }),
  ),
  'json-filter-ignored': failing('WIR-548.spellings').by(asks(tokens, query => query.delete('metadata'))),
  // No response carries a trace id.
  'no-trace': failing('WIR-501.a').by(next => async request => {
    const response = await next(request)
    const headers = new Headers(response.headers)
    headers.delete('SVC-TRACE-ID')
    return new Response(response.body, { status: response.status, headers })
  }),
  // A cache may keep the response to a read.
  'cacheable-read': failing('WIR-542.a').by(next => async request => {
    const response = await next(request)
    if (request.method !== 'GET') return response
    const headers = new Headers(response.headers)
    headers.set('Cache-Control', 'private, max-age=60')
    return new Response(response.body, { status: response.status, headers })
  }),
  // A list shows the oldest first.
  'order-reversed': failing('PAG-503.a').setInResponse('GET', tokens, body => ({
    data: body.data.reverse(),
  })),
  // A problem contains the request.
  'problem-repeats-the-request': failing('ERR-507.a').intercept('POST', tokens, async (received, send) => {
    const response = await send()
    if (response.status !== 400) return response
    return responseFrom(response, { body: { ...(await bodyOf(response)), detail: received.text } })
  }),
  // A problem has no type.
  'problem-without-type': {
    ...failing('ERR-501.a').intercept('POST', tokens, async (_received, send) => {
      const response = await send()
      const { type: _gone, ...body } = (await bodyOf(response)) ?? {}
      return response.status === 400 ? responseFrom(response, { body }) : response
    }),
    control: 'TOK-001.a',
  },
  // The total of a list is one too many.
  'total-off-by-one': failing('PAG-502.a', 'PAG-506.a').setInResponse('GET', tokens, body => ({
    pagination: { ...body.pagination, total_items: body.pagination.total_items + 1 },
  })),
}
