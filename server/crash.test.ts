import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { JsonValue } from './base/json.ts'
import { cardNumber } from './bench/cards.ts'
import type { Started } from './bench/processes.ts'
import { isBuilt, masterKey, privateKey, startServer } from './bench/server-process.ts'
import { runCommand } from './commands/table.ts'
import { type Content, Ledger } from './crash.ledger.ts'

/**
 * The server is killed while clients write, again and again on the same data: after each restart all that was
 * answered must be there, whole, and nothing that nobody sent.
 */
const rounds = Number(process.env.SURROGATE_CRASH_ROUNDS ?? 2)
const clients = 16
const folder = mkdtempSync(join(tmpdir(), 'surrogate-crash-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
t.comment(isBuilt ? 'with the built server' : 'without a build: with the sources')

const ledger = new Ledger()
let marks = 0

async function call(url: string, method: string, path: string, body?: JsonValue) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const response = await fetch(url + path, {
    method,
    headers: { 'SVC-API-KEY': privateKey, ...(body === undefined ? {} : { 'Content-Type': type }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: the test reads whatever members it expects
  return { status: response.status, json: (text === '' ? undefined : JSON.parse(text)) as any }
}

const digits = (count: number) => Array.from({ length: count }, () => randomInt(10)).join('')

function newContent(): Content {
  const mark = String(marks++)
  const card = { number: cardNumber(marks), expiration_month: 1 + (marks % 12), expiration_year: 2031 }
  const kinds: readonly (readonly [type: string, data: JsonValue])[] = [
    ['card', card],
    ['card', { ...card, cvc: digits(3) }],
    ['card_number', card.number],
    ['bank', { routing_number: '110000000', account_number: digits(12) }],
    ['social_security_number', digits(9)],
    ['token', { note: 'n'.repeat(randomInt(20_000)), list: [1, null, { deep: true }], mark }],
  ]
  const [type, data] = kinds[randomInt(kinds.length)] ?? ['token', mark]
  return { type, data, metadata: { mark } }
}

/** What a create may say besides; none of it changes what a read must answer of the content. */
function variations() {
  return {
    ...(randomInt(4) === 0 ? { containers: ['/a/b/', `/c/${randomInt(3)}/`] } : {}),
    ...(randomInt(4) === 0 ? { deduplicate_token: true } : {}),
    ...(randomInt(4) === 0 ? { expires_at: '2999-01-01T00:00:00Z' } : {}),
  }
}

/** Writes until the server is gone; each client changes its own tokens only. */
async function write(url: string, onAnswer: () => void, isGone: () => boolean, faults: string[]) {
  const own: { readonly id: string; content: Content }[] = []
  const expect = (status: number, wanted: number, what: string) => {
    if (status !== wanted) faults.push(`${what} answered ${status}`)
    onAnswer()
    return status === wanted
  }
  const create = async () => {
    const content = newContent()
    const id = randomInt(3) === 0 ? `own-${content.metadata.mark}` : undefined
    if (id === undefined) ledger.sentUnnamed(content)
    else ledger.sent(id, content)
    const { status, json } = await call(url, 'POST', '/tokens', {
      ...content,
      ...variations(),
      ...(id === undefined ? {} : { id }),
    })
    if (!expect(status, 201, `creating a ${content.type}`)) return
    if (id === undefined) ledger.answeredUnnamed(json.id, content)
    else ledger.answered(id, content)
    own.push({ id: json.id, content })
  }
  const patch = async (token: (typeof own)[number]) => {
    const { type, data, metadata } = token.content
    const change = {
      metadata: { patched: String(randomInt(1000)) },
      ...(type === 'card' ? { data: { expiration_year: 2040 } } : {}),
    }
    const merged = type === 'card' ? { ...(data as object), expiration_year: 2040 } : data
    const next = { type, data: merged, metadata: { ...metadata, ...change.metadata } }
    ledger.sent(token.id, next)
    const { status } = await call(url, 'PATCH', `/tokens/${token.id}`, change)
    if (!expect(status, 200, `patching a ${type}`)) return
    ledger.answered(token.id, next)
    token.content = next
  }
  const remove = async (token: (typeof own)[number]) => {
    own.splice(own.indexOf(token), 1)
    ledger.sent(token.id, 'absent')
    const { status } = await call(url, 'DELETE', `/tokens/${token.id}`)
    if (expect(status, 204, 'deleting a token')) ledger.answered(token.id, 'absent')
  }
  try {
    while (!isGone()) {
      const token = own[randomInt(own.length + 1)]
      const choice = randomInt(10)
      if (!token || choice < 6) await create()
      else if (choice < 8) await patch(token)
      else await remove(token)
    }
  } catch (error) {
    if (!isGone()) throw error
  }
}

/** All tokens, page by page, each as often as it was listed. */
async function list(url: string) {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const { json } = await call(url, 'GET', `/tokens?page=${page}&size=100`)
    for (const { id } of json.data) ids.push(id)
    if (page >= json.pagination.total_pages) return { ids, total: json.pagination.total_items as number }
  }
}

/** Reads every token that was told of or listed; answers those there are, and what is wrong with any. */
async function check(url: string, listed: readonly string[], faults: string[]) {
  const ids = [...new Set([...ledger.ids, ...listed])]
  const present: string[] = []
  const reader = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const { status, json } = await call(url, 'GET', `/tokens/${id}`)
      if (status === 200) present.push(id)
      else if (status !== 404) faults.push(`reading ${id} answered ${status}`)
      const found = status === 200 ? { type: json.type, data: json.data, metadata: json.metadata } : 'absent'
      const fault = ledger.settle(id, found)
      if (fault !== undefined) faults.push(fault)
    }
  }
  await Promise.all(Array.from({ length: clients }, reader))
  ledger.endRound()
  return present
}

/** Kills the server in the middle of writing, at the moment of its n-th answer. */
async function crash(server: Started, answers: number, faults: string[]) {
  let answered = 0
  let death: Promise<void> | undefined
  const onAnswer = () => {
    answered++
    if (answered >= answers) death ??= server.end('SIGKILL')
  }
  const isGone = () => death !== undefined
  await Promise.all(Array.from({ length: clients }, () => write(server.url, onAnswer, isGone, faults)))
  await death
  return answered
}

let server = await startServer(folder)
t.teardown(() => server.end('SIGKILL'))

for (let round = 1; round <= rounds; round++) {
  await t.test(`round ${round}: what was answered before a kill -9 is there after it`, async t => {
    const faults: string[] = []
    const answered = await crash(server, randomInt(1, 600), faults)
    t.same(faults, [], 'every request before the crash succeeds')
    const verdict = await runCommand('reindex', ['--storage', `level:${join(folder, 'data')}`], {
      SURROGATE_MASTER_KEY: masterKey,
    }).then(
      ({ output }) => output,
      error => error.message,
    )
    t.match(verdict, /checked and agree\n$/, 'every index entry agrees with the records')
    server = await startServer(folder)
    const { ids, total } = await list(server.url)
    t.equal(new Set(ids).size, ids.length, 'no token is listed twice')
    t.equal(total, ids.length, 'as many are listed as total_items says')
    const present = await check(server.url, ids, faults)
    t.same(faults.slice(0, 5), [], 'every answered token is whole, what was deleted stays away')
    t.same(present.sort(), ids.sort(), 'those that can be read are those that are listed')
    t.comment(`killed after ${answered} answers; ${ids.length} tokens`)
  })
}
