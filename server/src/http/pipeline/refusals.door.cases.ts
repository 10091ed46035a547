import { type Refusal, type Shot, text, validation, type Who } from './refusals.cases.ts'

/** Requests refused for their path, their caller or their headers. */
const whole = '{"type":"card","data":{"number":"4242424242424242"}}'
const raw = (body: string): Shot => ({ method: 'POST', path: '/tokens', raw: body })

const get = (path: string, as: Who = 'private'): Shot => ({ method: 'GET', path, as })

function route(method: string, path: string, control: Shot, allow?: string): Refusal {
  const expected =
    allow === undefined
      ? { status: 404, code: 'not_found' }
      : { status: 405, code: 'method_not_allowed', allow }
  const as = control.as ?? 'private'
  return { name: `route: ${method} ${path}`, refused: { method, path, as }, control, ...expected }
}

const routes: readonly Refusal[] = [
  route('GET', '/', get('/tokens')),
  route('GET', '/token', get('/tokens')),
  route('GET', '/Tokens', get('/tokens')),
  route('GET', '/v1/tokens', get('/tokens')),
  route('GET', '//tokens', get('/tokens')),
  route('GET', '/tokens//', get('/tokens/')),
  route('GET', '/tokens/note/data', get('/tokens/note')),
  route('GET', '/__proto__', get('/tokens')),
  route('GET', '/tokens%2Fnote', get('/tokens/note')),
  route('PUT', '/tokens', get('/tokens'), 'GET, POST'),
  route('DELETE', '/tokens/', get('/tokens/'), 'GET, POST'),
  route('HEAD', '/tokens', get('/tokens'), 'GET, POST'),
  route('OPTIONS', '/tokens', get('/tokens'), 'GET, POST'),
  route('POST', '/tokens/note', get('/tokens/note'), 'DELETE, GET, PATCH'),
  route('PUT', '/tokens/note', get('/tokens/note'), 'DELETE, GET, PATCH'),
  route(
    'PATCH',
    '/applications/{application}',
    get('/applications/{application}', 'management'),
    'DELETE, GET, PUT',
  ),
  route('GET', '/tokenize', get('/tokens'), 'POST'),
  route('POST', '/logs', get('/logs', 'management'), 'GET'),
]

const parameter = (name: string, bad: Shot, good: Shot, at: string): Refusal => ({
  name: `parameter: ${name}`,
  refused: bad,
  control: good,
  at,
  ...validation,
})

const lists = [get('/tokens'), get('/applications', 'management'), get('/logs', 'management')].flatMap(
  list => {
    const page = (query: string): Shot => ({ ...list, path: `${list.path}?${query}` })
    const bad = (query: string, good: string, at: string) =>
      parameter(`${list.path}?${query}`, page(query), page(good), at)
    return [
      bad('page=0', 'page=1', 'page'),
      bad('page=-1', 'page=1', 'page'),
      bad('page=1.5', 'page=1', 'page'),
      bad('page=', 'page=1', 'page'),
      bad('page=one', 'page=1', 'page'),
      bad('page=1&page=2', 'page=1', 'page'),
      bad('page=9999999999999999', 'page=999999999999999', 'page'),
      bad('size=0', 'size=1', 'size'),
      bad('size=101', 'size=100', 'size'),
      bad('size=0x10', 'size=16', 'size'),
      bad('size=%C3%28', 'size=%31', 'size'),
    ]
  },
)

const entries = (count: number) =>
  Array.from({ length: count }, (_, index) => `metadata.k${index}=v`).join('&')

const parameters: readonly Refusal[] = [
  ...lists,
  parameter(
    'a filter that is not UTF-8',
    get('/tokens?metadata.k=%ff'),
    get('/tokens?metadata.k=%C3%BF'),
    'metadata',
  ),
  parameter('101 ids', get(`/tokens?${'id=a&'.repeat(101)}`), get(`/tokens?${'id=a&'.repeat(100)}`), 'id'),
  parameter(
    '101 types',
    get(`/tokens?${'type=card&'.repeat(101)}`),
    get(`/tokens?${'type=card&'.repeat(100)}`),
    'type',
  ),
  parameter('51 metadata entries', get(`/tokens?${entries(51)}`), get(`/tokens?${entries(50)}`), 'metadata'),
  parameter(
    'a name that is not UTF-8',
    get('/tokens?metadata.%ff=1'),
    get('/tokens?metadata.%C3%BF=1'),
    'query',
  ),
  parameter('half an escape', get('/tokens?id=%4'), get('/tokens?id=%40'), 'id'),
  parameter(
    'kind of log entry',
    get('/logs?entity_type=tokens', 'management'),
    get('/logs?entity_type=token', 'management'),
    'entity_type',
  ),
  parameter(
    'id of log entry',
    get('/logs?entity_id=', 'management'),
    get('/logs?entity_id=x', 'management'),
    'entity_id',
  ),
  parameter('id too short', get('/tokens/no'), get('/tokens/note'), 'id'),
  parameter('id too long', get(`/tokens/${text(401, 'l')}`), get(`/tokens/${text(400, 'l')}`), 'id'),
  parameter('id with a slash', get('/tokens/no%2Fte'), get('/tokens/no%74e'), 'id'),
  parameter('id with a null', get('/tokens/note%00'), get('/tokens/note'), 'id'),
  parameter('id that is not UTF-8', get('/tokens/not%e9'), get('/tokens/not%65'), 'id'),
  parameter(
    'id that is not a UUID',
    get('/applications/note', 'management'),
    get('/applications/{application}', 'management'),
    'id',
  ),
]

function key(name: string, bad: Who, good: Who, shot: Shot, status: 401 | 403): Refusal {
  const code = status === 401 ? 'unauthenticated' : 'permission_denied'
  return { name: `key: ${name}`, refused: { ...shot, as: bad }, control: { ...shot, as: good }, status, code }
}

const keys: readonly Refusal[] = [
  key('none', 'nobody', 'private', get('/tokens'), 401),
  key('empty', { key: '' }, 'private', get('/tokens'), 401),
  key('unknown', { key: `key_prv_${text(32, 'A')}` }, 'private', get('/tokens'), 401),
  key('of a foreign spelling', { key: 'Bearer {private}' }, 'private', get('/tokens'), 401),
  key('a character longer', { key: '{private}A' }, { key: '{private}' }, get('/tokens'), 401),
  key('two at once', { key: '{private}, {private}' }, { key: '{private}' }, get('/tokens'), 401),
  key('of another kind of letters', { key: `${text(300, '\u00e9')}` }, 'private', get('/tokens'), 401),
  key('management, listing tokens', 'management', 'private', get('/tokens'), 403),
  key('management, reading a token', 'management', 'private', get('/tokens/note'), 403),
  key('management, storing a token', 'management', 'private', raw(whole), 403),
  key('private, listing applications', 'private', 'management', get('/applications'), 403),
  key('public, listing applications', 'public', 'management', get('/applications'), 403),
  key('private, reading the log', 'private', 'management', get('/logs'), 403),
  key('public, reading a token', 'public', 'private', get('/tokens/note'), 403),
  key('public, listing tokens', 'public', 'private', get('/tokens'), 403),
]

const inContainer = (path: string): Shot => ({
  method: 'POST',
  path: '/tokens',
  as: 'limited',
  body: { type: 'token', data: 'x', containers: [path] },
})
const moved = (path: string): Shot => ({
  method: 'PATCH',
  path: '/tokens/mine',
  as: 'limited',
  body: { containers: [path] },
})
const denied = { status: 403, code: 'permission_denied' }
const missing = { status: 404, code: 'not_found' }

const states: readonly Refusal[] = [
  {
    name: 'container: creating where nothing is held',
    refused: inContainer('/yours/'),
    control: inContainer('/mine/'),
    ...denied,
  },
  {
    name: 'container: creating above what is held',
    refused: inContainer('/'),
    control: inContainer('/Mine/deep/'),
    ...denied,
  },
  {
    name: 'container: creating beside what is held',
    refused: inContainer('/mine2/'),
    control: inContainer('/mine/2/'),
    ...denied,
  },
  {
    name: 'container: reading elsewhere',
    refused: get('/tokens/note', 'limited'),
    control: get('/tokens/mine', 'limited'),
    ...denied,
  },
  { name: 'container: moving out', refused: moved('/yours/'), control: moved('/mine/deep/'), ...denied },
  {
    name: 'container: deleting elsewhere',
    refused: { method: 'DELETE', path: '/tokens/note', as: 'limited' },
    control: { method: 'DELETE', path: '/tokens/mine-to-delete', as: 'limited' },
    ...denied,
  },
  {
    name: 'a token that is not there',
    refused: get('/tokens/nothing'),
    control: get('/tokens/note'),
    ...missing,
  },
  { name: 'a token in another case', refused: get('/tokens/NOTE'), control: get('/tokens/note'), ...missing },
  {
    name: 'a token of another tenant',
    refused: get('/tokens/theirs'),
    control: get('/tokens/note'),
    ...missing,
  },
  {
    name: 'a patch of nothing',
    refused: { method: 'PATCH', path: '/tokens/nothing', body: {} },
    control: { method: 'PATCH', path: '/tokens/note', body: {} },
    ...missing,
  },
  {
    name: 'deleting nothing',
    refused: { method: 'DELETE', path: '/tokens/nothing' },
    control: { method: 'DELETE', path: '/tokens/to-delete' },
    ...missing,
  },
  {
    name: 'an application that is not there',
    refused: get('/applications/5b493235-6917-4307-906a-2cd6f1a90b13', 'management'),
    control: get('/applications/{application}', 'management'),
    ...missing,
  },
  {
    name: 'an id that is taken',
    refused: { method: 'POST', path: '/tokens', body: { id: 'note', type: 'token', data: 1 } },
    control: { method: 'POST', path: '/tokens', body: { id: 'Note', type: 'token', data: 1 } },
    status: 409,
    code: 'conflict',
    at: 'id',
  },
  ...['', text(256), 'é'].map(
    (name, index): Refusal => ({
      name: `idempotency key of ${name.length} characters`,
      refused: { ...raw(whole), headers: { 'SVC-IDEMPOTENCY-KEY': name } },
      control: { ...raw(whole), headers: { 'SVC-IDEMPOTENCY-KEY': text(255, `${index}`) } },
      at: 'svc-idempotency-key',
      ...validation,
    }),
  ),
]

export const doorRefusals: readonly Refusal[] = [...routes, ...parameters, ...keys, ...states]
