import type { Lie } from '../tell.ts'

/** No response carries a trace id. */
export const lie: Lie = {
  turns: ['WIR-501.a'],
  tell: next => async request => {
    const response = await next(request)
    const headers = new Headers(response.headers)
    headers.delete('SVC-TRACE-ID')
    return new Response(response.status === 204 ? null : await response.text(), {
      status: response.status,
      headers,
    })
  },
}
