import {
  type Body,
  changeResponse,
  changeStatus,
  intercept,
  type Mutants,
  requestFrom,
  useKeys,
} from '../mutate.ts'

const proxies = /^\/proxies$/
const proxy = /^\/proxies\/[^/]+$/
const use = /^\/proxy(\/|$)/

/** Mutants of stored proxies. */
export const proxiesMutants: Mutants = {
  // The list shows keys.
  'lists-proxy-keys': {
    failing: ['PRX-501.a'],
    change: (next, target) => {
      const keys = new Map<string, string>()
      const keep = changeResponse('POST', proxies, body => {
        keys.set(body.id, body.key)
        return body
      })(next, target)
      return changeResponse('GET', proxies, body => ({
        ...body,
        data: body.data.map((one: Body) => ({ ...one, key: keys.get(one.id) })),
      }))(keep, target)
    },
  },
  // The key of a proxy is enough, whatever it requires.
  'proxies-without-api-key': {
    failing: ['PRX-502.a'],
    change: useKeys('POST', use, [401], target => [target.privateKey]),
  },
  // Requests through a proxy have all rights of the tenant.
  'proxies-by-any-caller': {
    failing: ['PRX-502.a'],
    change: useKeys('POST', use, [403], target => [target.privateKey]),
  },
  // A proxy that is deleted stays.
  'keeps-deleted-proxies': {
    failing: ['PRX-503.a'],
    change: intercept('DELETE', proxy, async () => new Response(null, { status: 204 })),
  },
  // The path of a request is not checked.
  'leaves-the-destination': {
    failing: ['PRX-505.b'],
    change: changeStatus('POST', use, 400, 200),
  },
  // A destination that is not allowed shows when it is used.
  'accepts-any-destination': {
    failing: ['PRX-505.a'],
    change: intercept('POST', proxies, async (received, next, target) => {
      const first = await next(requestFrom(received))
      const { destination_url } = received.body ?? {}
      if (first.status !== 400 || typeof destination_url !== 'string') return first
      return next(requestFrom(received, { body: { ...received.body, destination_url: target.proxyUrl } }))
    }),
  },
  // Code does not see the values of the configuration.
  'hides-configuration-from-code': {
    failing: ['PRX-506.a', 'PRX-507.a'],
    change: changeResponse('POST', use, body => ({ ...body, configuration: {} })),
  },
  // PATCH replaces the configuration.
  'patch-replaces-proxy-configuration': {
    failing: ['PRX-507.a'],
    change: intercept('PATCH', proxy, async (received, next) => {
      if (received.body?.configuration) {
        const empty = { configuration: null }
        await next(requestFrom(received, { body: empty }))
      }
      return next(requestFrom(received))
    }),
  },
  // Whoever may manage reactors may manage proxies.
  'proxies-without-permission': {
    failing: ['PRX-508.a'],
    change: useKeys('GET|POST|PUT|PATCH', /^\/proxies/, [403], target => [target.managementKey]),
  },
}
