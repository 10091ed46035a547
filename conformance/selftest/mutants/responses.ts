import {
  any,
  type Body,
  bodyOf,
  changeResponse,
  failing,
  intercept,
  keyOf,
  type Mutant,
  type Mutants,
  react,
  requestFrom,
  responseFrom,
  token,
  tokenSearch,
} from '../mutate.ts'

/** Changes the headers of responses. */
const headers =
  (change: (headers: Headers, request: Request, response: Response) => void): Mutant['change'] =>
  next =>
  async request => {
    const response = await next(request)
    const changed = new Headers(response.headers)
    change(changed, request, response)
    // As a stream: the body of some responses does not end.
    return new Response(response.body, { status: response.status, headers: changed })
  }

const problem = (
  change: (body: Body, status: number, key: string) => Body,
  method = 'GET|POST|PUT|PATCH|DELETE',
) =>
  intercept(method, any, async (received, send) => {
    const response = await send()
    const body = response.status >= 400 ? await bodyOf(response) : undefined
    return typeof body === 'object' && response.headers.get('content-type')?.includes('problem')
      ? responseFrom(response, { body: change(body, response.status, keyOf(received) ?? '') })
      : response
  })

const pathOf = (request: Request) => new URL(request.url).pathname

/** Mutants of each response. */
export const responsesMutants: Mutants = {
  'key-in-a-header': failing('WIR-544.of-the-request').by(
    headers((to, request) => to.set('X-Application', request.headers.get('SVC-API-KEY') ?? 'none')),
  ),
  'key-of-another-in-a-header': failing('AUT-020.each').by((next, target) =>
    headers((to, request) => {
      if (request.method === 'GET') to.set('X-Neighbour', target.otherPrivateKey ?? 'none')
    })(next, target),
  ),
  'unknown-key-in-a-problem': failing('WIR-544.unknown').by(
    problem((body, status, key) => (status === 401 ? { ...body, detail: `${key} is not known` } : body)),
  ),
  'status-of-problems-is-400': failing('ERR-514.each', 'ERR-001.each').by(
    problem(body => ({ ...body, status: 400 })),
  ),
  'refusals-show-the-token': failing(
    'AUT-014.refused-get',
    'AUT-014.refused-update',
    'AUT-014.refused-delete',
  ).intercept('GET|PATCH|DELETE', token, async (_received, send, { privateKey }) => {
    const response = await send()
    if (response.status !== 403) return response
    const shown = await send({ method: 'GET', key: privateKey })
    return responseFrom(response, { body: { ...(await bodyOf(response)), token: await bodyOf(shown) } })
  }),
  'trace-of-errors-is-new': failing('WIR-501.each-not-found').by(
    headers((to, _request, response) => {
      if (response.status >= 400) to.set('SVC-TRACE-ID', crypto.randomUUID())
    }),
  ),
  'session-may-be-cached': failing('WIR-501.each-session').by(
    headers((to, request) => {
      if (pathOf(request) === '/sessions') to.delete('Cache-Control')
    }),
  ),
  'allow-lists-every-method': failing('ERR-502.allow').by(
    headers((to, _request, response) => {
      if (response.status === 405) to.set('Allow', 'GET, POST, PUT, PATCH, DELETE')
    }),
  ),
  'invocation-at-most-4-mb': failing('INV-005.near').intercept('POST', react, async (received, send) => {
    const response = await send()
    return received.text.length > 4 * 1024 * 1024 ? responseFrom(response, { status: 413 }) : response
  }),
  // Each mention of a token counts, not each token.
  'counts-mentions-of-tokens': failing('INV-548.mentions').intercept(
    'POST',
    react,
    async (received, send) => {
      const response = await send()
      const mentions = received.text.match(/\{\{/g)?.length ?? 0
      return response.ok && mentions > 100
        ? responseFrom(response, {
            status: 400,
            body: { type: 'about:blank', title: 'Too many', status: 400 },
          })
        : response
    },
  ),
  // A reactor is not changed by whom it says.
  'reactor-answers-its-creator': failing('WIR-541.reactor-another').setInResponse(
    'PUT',
    /^\/reactors\/[^/]+$/,
    body => ({ modified_by: body.created_by }),
  ),
  'finds-under-old-indexes': failing('SEA-025.updated').by((next, target) => {
    const old = new Map<string, string>()
    const remember = changeResponse('POST', /^\/tokens$/, (body, { body: given }) => {
      if (typeof given?.data === 'string') old.set(given.data.toLowerCase(), body.id)
      return body
    })(next, target)
    return intercept('POST', tokenSearch, async received => {
      const response = await remember(requestFrom(received))
      const body = await bodyOf(response)
      const asked = /data:"?([\w-]+)"?/.exec(received.body?.query ?? '')?.[1]?.toLowerCase() ?? ''
      const id = old.get(asked)
      if (!response.ok || id === undefined || body.data.some((one: Body) => one.id === id)) return response
      const now = await remember(
        requestFrom(received, { method: 'GET', path: `/tokens/${id}`, key: target.privateKey }),
      )
      const found = await bodyOf(now)
      return now.ok && found.search_indexes?.length > 0
        ? responseFrom(response, { body: { ...body, data: [...body.data, found] } })
        : response
    })(remember, target)
  }),
}
