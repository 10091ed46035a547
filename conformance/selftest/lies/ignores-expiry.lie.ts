import { type Lie, token } from '../tell.ts'

/** A token that was read once is shown after its time of expiry, too. */
export const lie: Lie = {
  turns: ['TOK-039.a', 'TOK-508.a'],
  tell: next => {
    const seen = new Map<string, string>()
    return async request => {
      const { pathname } = new URL(request.url)
      const response = await next(request)
      if (request.method === 'DELETE') seen.delete(pathname)
      if (request.method !== 'GET' || !token.test(pathname)) return response
      const text = await response.clone().text()
      if (response.ok) seen.set(pathname, text)
      const old = seen.get(pathname)
      if (response.status !== 404 || old === undefined) return response
      return Response.json(JSON.parse(old), { headers: { 'SVC-TRACE-ID': 'lie' } })
    }
  },
}
