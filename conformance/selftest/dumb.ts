import type { Fetch } from '../src/harness/transport.ts'

const always = (status: number, text: string | null, type = 'application/json'): Fetch => {
  return async () => new Response(text, { status, headers: { 'Content-Type': type, 'SVC-TRACE-ID': 'dumb' } })
}

/** Servers that respond to every request in the same way. */
export const dumbServers: Readonly<Record<string, Fetch>> = {
  'always 200 {}': always(200, '{}'),
  'always 201 {}': always(201, '{}'),
  'always 204': always(204, null),
  'always 400': always(400, '{"status":400}', 'application/problem+json'),
  'always 403': always(403, '{}'),
  'always 404': always(404, '{}'),
  'always 500': always(500, '{}'),
  'always an empty list': always(200, '{"pagination":{},"data":[]}'),
  'always a redirect': async () => new Response(null, { status: 302, headers: { Location: '/' } }),
  'never JSON': always(200, '{"id":'),
  'hangs up': async () => {
    throw new TypeError('fetch failed')
  },
  'never answers': () => new Promise<Response>(() => {}),
}
