import type { Context } from '../../harness/context.ts'
import { type Body, expires, type Subject } from './subject.ts'
import { echoReactor } from './ways.ts'

const definition = { name: 'name-of-a-setting', description: 'd', type: 'string' }
const formulaBody = async (c: Context): Promise<Body> => ({
  name: c.tag,
  description: 'd',
  type: 'private',
  icon: 'data:image/png;base64,AAAA',
  code: 'c',
  configuration: [definition],
  request_parameters: [{ ...definition, optional: true }],
})
const codeLimits: Pick<Subject, 'accepted' | 'refused'> = {
  accepted: [() => ({ code: 'é'.repeat(25_000) })],
  refused: { 'code of 50,001 bytes': () => ({ code: `${'é'.repeat(25_000)}e` }) },
}
const reference = (c: Context) => c.shared('formula at limits', s => s.formula())
const made = (c: Context) => c.shared('reactor at limits', s => s.reactor())
const rule = {
  description: 'd',
  priority: 1,
  container: '/a/',
  transform: 'mask',
  permissions: ['token:read'],
}
const conditional = (condition: object, priority: number) => ({
  priority,
  conditions: [condition],
  transform: 'mask',
  permissions: ['token:read'],
})
const rights = {
  permissions: ['token:read'],
  rules: [
    rule,
    conditional({ attribute: 'id', operator: 'equals', value: 'some-id' }, 2),
    conditional({ attribute: 'container', operator: 'equals', value: '/a/' }, 3),
  ],
}
const noRights = { 'neither permissions nor rules': () => ({ permissions: [], rules: [] }) }
const moreNeeds: Readonly<Record<string, Subject['needs']>> = {
  applications: ['applications'],
}
const managed = (
  name: string,
  operation: string,
  title: string,
  more: Pick<Subject, 'body' | 'send' | 'accepted' | 'refused'>,
): Subject => ({
  requirement: 'WIR-540',
  name,
  title,
  operation,
  needs: ['management', ...(moreNeeds[operation.split('.')[0] ?? ''] ?? [])],
  ...more,
})
const pathOf = {
  formula: async (c: Context) => `/reactor-formulas/${(await reference(c)).id}`,
  reactor: async (c: Context) => `/reactors/${(await made(c)).id}`,
  application: async (c: Context) => {
    const { id } = await c.shared('application at limits', s =>
      s.application({ permissions: ['token:read'] }),
    )
    return `/applications/${id}`
  },
}
const sending =
  (method: string, path: string | ((c: Context) => Promise<string>)): Subject['send'] =>
  async (c, body, call = c.asManagement, options) =>
    call(method, typeof path === 'string' ? path : await path(c), body, options)

const resources: readonly Subject[] = [
  managed('create-formula', 'reactorFormulas.create', 'creating a formula', {
    body: formulaBody,
    send: sending('POST', '/reactor-formulas'),
    ...codeLimits,
  }),
  managed('put-formula', 'reactorFormulas.update', 'replacing a formula', {
    body: formulaBody,
    send: sending('PUT', pathOf.formula),
    ...codeLimits,
  }),
  managed('create-reactor', 'reactors.create', 'creating a reactor', {
    body: async c => ({
      name: c.tag,
      configuration: {},
      formula: { id: (await c.shared('formula of reactors', s => s.formula())).id },
    }),
    send: sending('POST', '/reactors'),
  }),
  managed('put-reactor', 'reactors.update', 'replacing a reactor', {
    body: async c => ({ name: c.tag, configuration: {} }),
    send: sending('PUT', pathOf.reactor),
  }),
  managed('patch-reactor', 'reactors.patch', 'patching a reactor', {
    body: async c => ({ name: c.tag }),
    send: sending('PATCH', pathOf.reactor),
    refused: { 'an application without an id of the right form': () => ({ application: { id: 'x' } }) },
  }),
  managed('create-application', 'applications.create', 'creating an application', {
    body: async c => ({ name: c.tag, type: 'private', ...rights, expires_at: expires }),
    send: sending('POST', '/applications'),
    refused: noRights,
  }),
  managed('put-application', 'applications.update', 'replacing an application', {
    body: async c => ({ name: c.tag, ...rights, expires_at: expires }),
    send: sending('PUT', pathOf.application),
    refused: noRights,
  }),
]

const authorize: Subject = {
  requirement: 'SES-543',
  name: 'authorize',
  title: 'authorizing a session',
  operation: 'sessions.authorize',
  needs: ['public'],
  body: async () => ({ nonce: 'a', ...rights }),
  async send(c, body, call = c.asPrivate, options) {
    const nonce = typeof body.nonce === 'string' && body.nonce !== '' ? (await c.session()).nonce : body.nonce
    return call('POST', '/sessions/authorize', { ...body, nonce }, options)
  },
  refused: noRights,
}

const react: Subject = {
  requirement: 'INV-542',
  name: 'react',
  title: 'an invocation',
  operation: 'reactors.react',
  needs: ['management', 'callbacks'],
  body: async c => ({ args: {}, callback_url: (await c.inbox()).open().url, timeout_ms: 10_000 }),
  send: async (c, body, call = c.asPrivate, options) => c.react(await echoReactor(c), body, call, options),
}

/** Requests about formulas, reactors, applications and sessions. */
export const resourceSubjects: readonly Subject[] = [...resources, authorize, react]
