import {
  type Body,
  bodyOf,
  failing,
  intercept,
  type Mutant,
  type Mutants,
  type Received,
  requestFrom,
  responseFrom,
  token,
  tokens,
} from '../mutate.ts'

type Next = Parameters<Mutant['change']>[0]

/** Does something after requests that were refused with one of these statuses. */
const afterRefusal =
  (
    method: string,
    path: RegExp,
    statuses: readonly number[],
    act: (received: Received, next: Next, key: { private: string; management: string }) => Promise<unknown>,
  ): Mutant['change'] =>
  (next, target) =>
    intercept(method, path, async (received, send) => {
      const response = await send()
      if (statuses.includes(response.status) && typeof received.body === 'object')
        await act(received, next, { private: target.privateKey, management: target.managementKey ?? '' })
      return response
    })(next, target)

const json = (type = 'application/json') => new Headers({ 'Content-Type': type })
const merge = 'application/merge-patch+json'

/** Stores the same token under another id, or with data that is valid. */
const store = (change: (body: Body) => Body) => (received: Received, next: Next, key: { private: string }) =>
  next(requestFrom({ ...received, headers: json() }, { key: key.private, body: change(received.body) }))

const patch = (members: (body: Body) => Body) => (received: Received, next: Next, key: { private: string }) =>
  next(
    requestFrom(
      { ...received, method: 'PATCH', headers: json(merge) },
      {
        key: key.private,
        body: members(received.body),
      },
    ),
  )

/** Authorizes the session of an authorization that was refused with one of these statuses. */
const usesNonce = (statuses: readonly number[]) =>
  afterRefusal('POST', /^\/sessions\/authorize$/, statuses, ({ body: { nonce }, ...received }, next, key) =>
    typeof nonce === 'string'
      ? next(
          requestFrom(
            { ...received, body: undefined, headers: json() },
            { key: key.private, body: { nonce, permissions: ['token:create'] } },
          ),
        )
      : Promise.resolve(),
  )

/** Mutants in which a refused request has an effect. */
export const refusalMutants: Mutants = {
  // A create that is refused leaves a token under its id.
  'refused-create-burns-id': failing('TOK-045.create-invalid-undone').by(
    afterRefusal('POST', tokens, [400], async ({ body, ...rest }, next, key) => {
      if (typeof body.id !== 'string' || body.id.includes('{{')) return
      const stored = await next(
        requestFrom(
          { ...rest, body, headers: json() },
          { key: key.private, body: { id: body.id, type: 'token', data: 1 } },
        ),
      )
      if (!stored.ok) return
      // Nobody can read or list it.
      return stored.arrayBuffer()
    }),
  ),
  // An expression that takes too many steps is dropped instead of being refused.
  'costly-mask-is-dropped': failing('EXP-503.a').intercept('POST', tokens, async (received, send) => {
    const response = await send()
    const { mask, ...rest } = received.body
    if (response.status !== 400 || !String(mask).includes('{% for')) return response
    return send({ body: rest })
  }),
  'unauthorized-create-stores': failing('AUT-002.create-forbidden-undone').by(
    afterRefusal(
      'POST',
      tokens,
      [403],
      store(body => body),
    ),
  ),
  'refused-update-keeps-metadata': failing('TOK-036.update-invalid-undone').by(
    afterRefusal(
      'PATCH',
      token,
      [400],
      patch(({ metadata }) => ({ metadata })),
    ),
  ),
  'refused-authorization-uses-nonce': failing('SES-505.invalid-undone').by(usesNonce([400, 403, 415])),
  'refused-create-makes-formula': failing(
    'AUT-001.create-formula-unknown-undone',
    'WIR-545.create-formula-other-type-undone',
  ).by(
    afterRefusal('POST', /^\/reactor-formulas$/, [401, 415], (received, next, key) =>
      next(requestFrom({ ...received, headers: json() }, { key: key.management })),
    ),
  ),
  'forbidden-shows-the-mask': failing('ERR-507.each-forbidden').intercept(
    'GET|DELETE|PATCH',
    token,
    async (_received, send, target) => {
      const response = await send()
      if (response.status !== 403) return response
      const whole = await bodyOf(await send({ method: 'GET', key: target.privateKey }))
      return responseFrom(response, {
        body: { ...(await bodyOf(response)), detail: `no access to ${JSON.stringify(whole?.data ?? '')}` },
      })
    },
  ),
}
