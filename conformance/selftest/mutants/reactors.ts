import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf, failing, intercept, type Mutant, type Mutants, react, responseFrom } from '../mutate.ts'

type Headers = Record<string, string>

/** Has webhooks delivered through a relay, which can change their headers, or drop them. */
function relayWebhooks(change: (headers: Headers) => Headers | undefined): Mutant['change'] {
  const urls = new Map<string, string>()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', async () => {
      const given = Object.entries(request.headers).filter(([name]) =>
        /^(webhook-|content-type|svc-)/.test(name),
      )
      const headers = change(Object.fromEntries(given) as Headers)
      const to = urls.get(request.url ?? '') ?? ''
      // The case that waited for it may have ended.
      const passed =
        headers && (await fetch(to, { method: 'POST', headers, body: text }).catch(() => undefined))
      await passed?.arrayBuffer()
      response.writeHead(passed?.status ?? 502).end()
    })
  })
  let listening: Promise<number> | undefined
  const port = () => {
    listening ??= new Promise(resolve =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    )
    // Mutants are never closed, so the relay must not keep the process alive.
    server.unref()
    return listening
  }
  return intercept('POST', react, async (received, send) => {
    const { callback_url } = received.body ?? {}
    if (typeof callback_url !== 'string') return send()
    const path = `/${crypto.randomUUID()}`
    urls.set(path, callback_url)
    return send({
      body: { ...received.body, callback_url: `http://127.0.0.1:${await port()}${path}` },
    })
  })
}

/** Mutants of formulas, reactors and invocations. */
export const reactorsMutants: Mutants = {
  // The response to an asynchronous invocation is a 200.
  'async-answered-200': failing('INV-511.a').changeStatus('POST', react, 202, 200, {}),
  // A canceled job stays.
  'cancel-ignored': failing('INV-547.a').intercept('DELETE', /^\/jobs\//, async (_received, send) => {
    const { headers } = await send({ method: 'GET', path: '/jobs' })
    return new Response(null, { status: 204, headers })
  }),
  // A configuration with unknown names is accepted.
  'configuration-unchecked': failing('REA-004.a').setInRequest('POST', /^\/reactors$/, body => ({
    configuration: body.configuration && { ...body.configuration, OTHER: undefined },
  })),
  // A formula gets the expression instead of the data.
  'expressions-not-replaced': failing('INV-006.a', 'INV-008.a').changeResponse(
    'POST',
    react,
    (body, received) =>
      body.raw?.args === undefined ? body : { ...body, raw: { args: received.body.args } },
  ),
  // The tokens of an invocation need no token:use.
  'foreign-tokens-lent': failing('INV-003.a', 'INV-004.a').useKeys('POST', react, [403], 'privateKey'),
  // A formula that throws is a success.
  'formula-errors-succeed': failing('INV-021.a', 'INV-507.a').changeStatus('POST', react, 500, 200, {}),
  // A list of formulas ignores the name.
  'ignores-name-filter': failing('FOR-012.a').intercept('GET', /^\/reactor-formulas$/, (_received, send) =>
    send({ search: '' }),
  ),
  // A name may have any length.
  'long-names': failing('FOR-003.a', 'REA-002.a').setInRequest('POST|PUT', /^\/react/, body => ({
    name: body.name?.slice(0, 200),
  })),
  // A request can detokenize any number of tokens.
  'more-than-100-tokens': failing('INV-009.a').intercept('POST', react, async (_received, send) => {
    const response = await send()
    return response.status === 400 ? responseFrom(response, { status: 200, body: { raw: {} } }) : response
  }),
  // Parameters are not required, converted or removed.
  'parameters-unchecked': failing('INV-012.a', 'INV-013.a', 'INV-014.a', 'INV-016.a').setInRequest(
    'POST',
    /^\/reactor-formulas$/,
    () => ({ request_parameters: [] }),
  ),
  // The response to a PATCH of a reactor is a 200 with an object.
  'patch-of-reactor-200': failing('REA-012.a').changeStatus('PATCH', /^\/reactors\//, 204, 200, {}),
  // A PUT of a formula keeps the members that it leaves out.
  'put-merges': failing('FOR-013.a').intercept('PUT', /^\/reactor-formulas\//, async (received, send) => {
    const now = await bodyOf(await send({ method: 'GET' }))
    return send({ body: { description: now?.description, ...received.body } })
  }),
  // Other tenants can read a private formula.
  'shows-foreign-formulas': failing('FOR-017.a').useKeys(
    'GET',
    /^\/reactor-formulas/,
    [404],
    'managementKey',
  ),
  // Any timeout is accepted.
  'timeout-unchecked': failing('INV-023.a', 'INV-024.a').setInRequest('POST', react, {
    timeout_ms: undefined,
  }),
  // No webhook is ever delivered.
  'webhook-never': failing('INV-022.a').by(relayWebhooks(() => undefined)),
  // A webhook has no signature.
  'webhook-unsigned': failing('INV-513.a').by(
    relayWebhooks(({ 'webhook-signature': _gone, ...headers }) => headers),
  ),
  // A webhook does not carry the trace id.
  'webhook-without-trace': failing('INV-512.a').by(
    relayWebhooks(({ 'svc-trace-id': _gone, ...headers }) => headers),
  ),
}
