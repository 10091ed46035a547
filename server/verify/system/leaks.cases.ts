import { randomInt } from 'node:crypto'
import type t from 'tap'
import type { JsonValue } from '../../src/base/json/json.ts'
import type { TokenType } from '../../src/contract/types.ts'
import { tokenTypes } from '../../src/generated/facts.ts'
import { Canaries, findLeaks, randomCard, routingNumber } from '../support/canaries.ts'

/** Uses all operations of a server, with a canary for every value. Run by `leaks.test.ts`. */
export const canaries = new Canaries()
export const word = canaries.word.bind(canaries)
export const tenantId = 'b8c0c1de-5d4a-4d63-9f0e-0a9a4d2f7a11'

const key = (prefix: string) =>
  canaries.add(`a ${prefix} key`, `key_${prefix}_${word(`a ${prefix} key's end`)}`)
export const keys = { pub: key('pub'), prv: key('prv'), mgt: key('mgt') }
const everything = ['token:read', 'token:search', 'token:create', 'token:update', 'token:delete', 'token:use']
const application = (type: string, end: string, apiKey: string, rights: JsonValue) => ({
  id: `0b9c7d2e-8f41-4a63-b5d7-1e2f3a4b5c${end}`,
  name: word(`the ${type} application's name`),
  type,
  key: apiKey,
  ...(rights as object),
})
const reveal = { priority: 1, container: '/', transform: 'reveal', permissions: everything }
export const bootstrap = {
  tenants: [
    {
      id: tenantId,
      name: word("the tenant's name"),
      webhook_secret: canaries.add(
        'the webhook secret',
        `whsec_${word("the webhook secret's end").repeat(2)}`,
      ),
      applications: [
        application('public', '01', keys.pub, { permissions: ['token:create'] }),
        application('private', '02', keys.prv, { rules: [{ ...reveal, description: word('a rule') }] }),
        application('management', '03', keys.mgt, {
          permissions: [
            'application:create',
            'application:read',
            'application:update',
            'application:delete',
            'log:read',
            'reactor:create',
            'reactor:read',
            'reactor:update',
            'reactor:delete',
          ],
        }),
      ],
    },
  ],
}

/** The bodies of all refusals, and all statuses. */
export const refusals: string[] = []
export const statuses = new Set<number>()
let url = ''

/** Sets the server for the following requests. */
export function askAt(address: string): void {
  url = address
}

interface Asked {
  readonly key?: string
  readonly headers?: Record<string, string>
  readonly raw?: string
}

export async function ask(method: string, path: string, body?: unknown, asked: Asked = {}) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const payload = asked.raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    headers: {
      'SVC-API-KEY': asked.key ?? keys.prv,
      ...(payload === undefined ? {} : { 'Content-Type': type }),
      ...asked.headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  })
  const text = await response.text()
  statuses.add(response.status)
  if (response.status >= 400) {
    const said = `${withoutWords(text)}\n${[...response.headers].join('\n')}`
    const forbidden = canaries.all.filter(({ sort }) => sort !== 'name')
    refusals.push(...findLeaks(forbidden, said).map(leak => `${leak}, answering ${response.status}: ${text}`))
  }
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects
  return { status: response.status, text, json: (text.startsWith('{') ? JSON.parse(text) : undefined) as any }
}

/** Leaves out what a formula said of itself, which a development server repeats to whoever invoked it. */
function withoutWords(text: string): string {
  if (!text.startsWith('{')) return text
  const { explanation, ...problem } = JSON.parse(text)
  const { formula, ...rest } = explanation ?? {}
  // The detail of a development server has the words of the error, too.
  const detail = formula?.message ? problem.detail.replace(formula.message, '') : problem.detail
  return JSON.stringify({ ...problem, detail, ...rest })
}

const once = (what: string) => ({
  headers: { 'SVC-IDEMPOTENCY-KEY': word(`the idempotency key of ${what}`) },
})
const keepCode = () => {
  const code = String(randomInt(1000, 10_000))
  // Four digits could occur by chance; with quotes they do not.
  canaries.add('a cvc', `"${code}"`)
  return code
}
const secretNumber = (what: string, make: () => string) => canaries.add(what, make())
const ssn = canaries.digits('a social security number', 9)
canaries.add('a social security number with dashes', `${ssn.slice(0, 3)}-${ssn.slice(3, 5)}-${ssn.slice(5)}`)

/** Data of the types that are not a text without a checksum. */
const ownContents: Partial<Record<string, () => JsonValue>> = {
  token: () => ({
    [word('a member of data', 'name')]: [
      word('a value in data'),
      { price: Number(canaries.digits('a number', 12)) },
    ],
    text: canaries.add(
      'a text with other letters',
      `${word('its ascii part')} é/%"${word('its other part')}`,
    ),
  }),
  card: () => ({
    number: secretNumber('a card number', randomCard),
    expiration_month: 12,
    expiration_year: 2090,
    cvc: keepCode(),
  }),
  bank: () => ({
    routing_number: secretNumber('a routing number', routingNumber),
    account_number: canaries.digits('an account number', 17),
  }),
  card_number: () => secretNumber('a bare card number', randomCard),
  us_bank_routing_number: () => secretNumber('a bare routing number', routingNumber),
  social_security_number: () => ssn,
}

/** Data of every type. */
export const contents = Object.fromEntries(
  Object.entries(tokenTypes).map(([type, { example }]) => [
    type,
    ownContents[type] ?? (() => canaries.like(`the data of a ${type}`, String(example))),
  ]),
) as Record<TokenType, () => JsonValue>

export function request(type: TokenType, content: JsonValue) {
  const { isSearchable } = tokenTypes[type]
  return {
    id: word(`the id of a ${type}`, 'id'),
    type,
    data: content,
    metadata: { [word('a metadata key', 'name')]: word('a metadata value') },
    containers: [`/${word('a container', 'name')}/`, `/${word('another container', 'name')}/below/`],
    mask: { shown: `${word('a mask')} {{ data | stringify | reveal_last: 1 }}` },
    fingerprint_expression: `{{ data | stringify }}${word('a fingerprint expression')}`,
    ...(isSearchable ? { search_indexes: [`{{ data | stringify }}${word('an index expression')}`] } : {}),
  }
}

export async function exerciseTokens(t: Tap): Promise<void> {
  for (const type of Object.keys(tokenTypes) as TokenType[]) {
    const body = request(type, contents[type]())
    const path = `/tokens/${body.id}`
    const keyed = once(type)
    const created = await ask('POST', '/tokens', body, keyed)
    t.equal(created.status, 201, `${type}: ${created.text}`)
    t.equal((await ask('POST', '/tokens', body, keyed)).status, 201, 'answered again')
    t.equal((await ask('POST', '/tokens', { ...body, mask: word('another body') }, keyed)).status, 422)
    t.equal((await ask('POST', '/tokens', body)).status, 409)
    const duplicate = { ...body, id: word('the id of a duplicate', 'id'), deduplicate_token: true }
    t.equal((await ask('POST', '/tokens', duplicate)).status, 200, 'deduplicated')
    t.same((await ask('GET', path)).json.data, body.data, 'an authorized caller sees the data')
    const [[name, value] = ['', '']] = Object.entries(body.metadata)
    t.equal((await ask('GET', `/tokens?metadata.${name}=${value}&type=${type}`)).json.data.length, 1)
    t.equal(
      (
        await ask(
          'PATCH',
          path,
          { metadata: { [name]: word('patched metadata') }, data: contents[type]() },
          once('a patch'),
        )
      ).status,
      200,
    )
    await ask('POST', '/tokens/search', { query: `metadata.${name}:${word('a search')}` })
    await ask('POST', '/tokenize', { type: 'token', data: word('tokenized data') })
  }
  const gone = request('token', word('deleted data'))
  t.equal((await ask('POST', '/tokens', gone)).status, 201)
  t.equal((await ask('DELETE', `/tokens/${gone.id}`)).status, 204)
  t.equal((await ask('GET', `/tokens/${gone.id}`)).status, 404)
}

export async function exerciseManagement(t: Tap): Promise<void> {
  const asManagement = { key: keys.mgt }
  const rules = [
    { ...reveal, container: `/${word('a rule container', 'name')}/`, description: word('a description') },
  ]
  const made = await ask(
    'POST',
    '/applications',
    { name: word('an application'), type: 'private', rules },
    asManagement,
  )
  t.equal(made.status, 201)
  const own = canaries.add('a made key', made.json.key)
  t.equal((await ask('GET', '/tokens', undefined, { key: own })).status, 200)
  const second = await ask('POST', `/applications/${made.json.id}/keys`, undefined, asManagement)
  const other = canaries.add('a second key', second.json.key)
  t.equal((await ask('GET', '/tokens', undefined, { key: other })).status, 200)
  const again = await ask('POST', `/applications/${made.json.id}/regenerate`, undefined, asManagement)
  canaries.add('a regenerated key', again.json.key)
  t.equal((await ask('GET', '/tokens', undefined, { key: own })).status, 401)
  await ask(
    'PUT',
    `/applications/${made.json.id}`,
    { name: word('another name'), rules: word('no rules') },
    asManagement,
  )
  t.equal((await ask('DELETE', `/applications/${made.json.id}`, undefined, asManagement)).status, 204)
}

/** Nothing is sent: one target is not allowed, and no reactor has this id. */
export async function exerciseProxy(t: Tap): Promise<void> {
  for (const origin of ['https://example.org', 'https://api.example.com']) {
    const headers = {
      'SVC-PROXY-URL': `${origin}/${word('a target')}`,
      'SVC-PROXY-REQUEST-REACTOR': '9f1d0c5e-6f0e-4f0a-9a43-0c2a4d3f5b61',
    }
    const body = { a: word('a proxied body') }
    t.equal((await ask('POST', `/proxy/${word('a path')}`, body, { headers })).status, 400, origin)
  }
}

export async function exerciseSessions(t: Tap): Promise<void> {
  const asPage = { key: keys.pub }
  const { status, json } = await ask('POST', '/sessions', undefined, { ...asPage, ...once('a session') })
  t.equal(status, 201)
  const own = canaries.add('a session key', json.session_key)
  const nonce = canaries.add('a nonce', json.nonce)
  t.equal((await ask('GET', '/tokens', undefined, { key: own })).status, 403)
  const rules = [{ ...reveal, description: word('a granted rule') }]
  const authorize = (grant: object) => ask('POST', '/sessions/authorize', { nonce, ...grant })
  t.equal((await authorize({ rules, expires_at: word('an end of a session') })).status, 400)
  t.equal((await authorize({ rules: [{ ...reveal, permissions: [word('a grant')] }] })).status, 400)
  t.equal((await authorize({ nonce: word('an unknown nonce'), rules })).status, 404)
  t.equal((await authorize({ rules })).status, 200)
  t.equal((await authorize({ rules })).status, 409)
  t.equal((await ask('GET', '/tokens', undefined, { key: own })).status, 200)
}

/** Sends requests with every kind of error, with a canary for every value. */
export async function refuse(t: Tap): Promise<void> {
  const token = (wrong: object) =>
    ask('POST', '/tokens', { type: 'token', data: word('refused data'), ...wrong })
  const raw = (text: string) => ask('POST', '/tokens', undefined, { raw: text })
  const expected: [status: number, answer: Awaited<ReturnType<typeof ask>>][] = [
    [400, await raw(`{"data":"${word('a cut off body')}`)],
    [400, await raw(`{"data":1,"${word('a double key', 'name')}":1,${word('no JSON')}}`)],
    [400, await raw(word('no JSON at all'))],
    [400, await token({ type: word('a type') })],
    [400, await token({ expires_at: word('an expiration') })],
    [400, await token({ id: `${word('a bad id')}/#` })],
    [400, await token({ id: `{{ data | ${word('an unknown filter', 'name')} }}` })],
    [
      400,
      await token({ mask: `{{ data | ${word('a filter of a mask', 'name')}: '${word('its argument')}' }}` }),
    ],
    [400, await token({ mask: `{{ data | append: '${word('an open string')} }}` })],
    [400, await token({ fingerprint_expression: `{% ${word('a tag', 'name')} %}` })],
    [400, await token({ fingerprint_expression: `{% include '${word('a file')}' %}` })],
    [400, await token({ search_indexes: [`{{ ${word('no end')}`] })],
    [400, await token({ containers: [word('no container')] })],
    [400, await token({ metadata: { long: word('a long value').repeat(100) } })],
    [400, await token({ metadata: { number: 1 }, [word('an unknown member', 'name')]: word('its value') })],
    [400, await token({ type: 'card', data: { number: word('no card number'), cvc: word('no code') } })],
    [400, await token({ type: 'bank', data: { routing_number: canaries.digits('no routing number', 9) } })],
    [400, await token({ type: 'social_security_number', data: canaries.digits('a long number', 12) })],
    [400, await ask('GET', `/tokens?page=${word('a page')}`)],
    [400, await token({ data: null, mask: word('beside null') })],
    [401, await ask('GET', '/tokens', undefined, { key: word('an unknown key') })],
    [403, await ask('GET', '/tokens', undefined, { key: keys.pub })],
    [404, await ask('GET', `/tokens/${word('an unknown id', 'id')}`)],
    [404, await ask('GET', `/${word('an unknown path')}`)],
    [405, await ask('PUT', `/tokens/${word('a path', 'id')}`, { data: word('put data') })],
    [413, await token({ data: word('too much').repeat(60_000) })],
    [
      415,
      await ask(
        'POST',
        '/tokens',
        { data: word('as text') },
        { headers: { 'Content-Type': `text/${word('a type of content')}` } },
      ),
    ],
  ]
  for (const [status, answer] of expected) t.equal(answer.status, status, answer.text)
}

type Tap = Pick<typeof t, 'equal' | 'same'>

export async function readLog(): Promise<string> {
  let text = ''
  for (let page = 1; ; page++) {
    const answer = await ask('GET', `/logs?size=100&page=${page}`, undefined, { key: keys.mgt })
    text += answer.text
    if (page >= answer.json.pagination.total_pages) return text
  }
}

/** Returns what a development server has recorded of the tenant's requests. */
export async function readRequests(): Promise<string> {
  return (await ask('GET', '/_dev/requests', undefined, { key: keys.mgt })).text
}
