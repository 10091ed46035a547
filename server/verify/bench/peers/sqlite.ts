/**
 * The same work on SQLite, as plain as it can be and still keep data: sealed boxes, keyed terms, an entry of an audit log
 * for each change, commits in groups that are on the disk before their responses. No validation, rules or
 * expressions, so it is less work than ours. Run by `run.ts`.
 *
 *     sqlite.ts FOLDER COUNT START_MS
 */
import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { spanMs, tokenAt } from '../search/corpus.ts'
import { type GivenToken, isIndexed, open, seal, type Token, termOf, termsOf } from './plain-records.ts'

interface Statement {
  run(...values: unknown[]): { readonly lastInsertRowid: number }
  get(...values: unknown[]): Row | undefined
  all(...values: unknown[]): Row[]
}
interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
}
interface Row {
  readonly seq: number
  readonly count: number
  readonly box: Buffer
}
const [folder = '', size = '', start = ''] = process.argv.slice(2)
const count = Number(size)
const Sqlite = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => Database
const database = new Sqlite(`${folder}/tokens.db`)
database.exec(`
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
  CREATE TABLE tokens (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, created INTEGER, modified INTEGER, box BLOB);
  CREATE INDEX by_creation ON tokens (created);
  CREATE INDEX by_modification ON tokens (modified);
  CREATE TABLE terms (term BLOB, seq INTEGER, PRIMARY KEY (term, seq)) WITHOUT ROWID;
  CREATE TABLE audit (seq INTEGER PRIMARY KEY, box BLOB);`)

const statements = {
  insert: database.prepare('INSERT INTO tokens (id, created, modified, box) VALUES (?, ?, ?, ?)'),
  update: database.prepare('UPDATE tokens SET modified = ?, box = ? WHERE seq = ?'),
  addTerm: database.prepare('INSERT OR IGNORE INTO terms VALUES (?, ?)'),
  removeTerm: database.prepare('DELETE FROM terms WHERE term = ? AND seq = ?'),
  audit: database.prepare('INSERT INTO audit (box) VALUES (?)'),
  byId: database.prepare('SELECT seq, box FROM tokens WHERE id = ?'),
  page: database.prepare('SELECT seq, box FROM tokens ORDER BY seq DESC LIMIT ? OFFSET ?'),
  total: database.prepare('SELECT count(*) AS count FROM tokens'),
  found: database.prepare(
    'SELECT t.seq, t.box FROM terms JOIN tokens t USING (seq) WHERE term = ? ORDER BY terms.seq DESC LIMIT 20',
  ),
  foundTotal: database.prepare('SELECT count(*) AS count FROM terms WHERE term = ?'),
}
const ranges = Object.fromEntries(
  ['created', 'modified'].map(name => [
    `${name}_at`,
    {
      page: database.prepare(
        `SELECT seq, box FROM tokens WHERE ${name} BETWEEN ? AND ? ORDER BY ${name} DESC LIMIT 20`,
      ),
      total: database.prepare(`SELECT count(*) AS count FROM tokens WHERE ${name} BETWEEN ? AND ?`),
    },
  ]),
)

function insert(given: GivenToken, nowMs: number): Token {
  const { type = 'token', data, metadata = {}, containers = ['/'] } = given
  const token = { id: randomUUID(), type, data, metadata, containers, created_at: nowMs, modified_at: nowMs }
  const { lastInsertRowid: seq } = statements.insert.run(token.id, nowMs, nowMs, seal(token))
  for (const term of termsOf(token, isIndexed(given))) {
    statements.addTerm.run(term, seq)
  }
  statements.audit.run(seal({ operation: 'create', id: token.id, at: nowMs }))
  total++
  return token
}

function update(id: string, metadata: Record<string, string>): Token {
  const { seq, box } = existing(id)
  const token = open(box)
  const changed = { ...token, metadata: { ...token.metadata, ...metadata }, modified_at: Date.now() }
  const [before, after] = [termsOf(token, false), termsOf(changed, false)]
  for (const term of before) if (!after.some(one => one.equals(term))) statements.removeTerm.run(term, seq)
  for (const term of after) if (!before.some(one => one.equals(term))) statements.addTerm.run(term, seq)
  statements.update.run(changed.modified_at, seal(changed), seq)
  statements.audit.run(seal({ operation: 'update', id, at: changed.modified_at }))
  return changed
}

function existing(id: string): Row {
  const row = statements.byId.get(id)
  if (!row) throw new Error(`no token ${id}`)
  return row
}

const masked = ({ data, ...token }: Token) => ({
  ...token,
  data: typeof data === 'string' ? data.slice(-4).padStart(data.length, 'X') : null,
  created_at: new Date(token.created_at).toISOString(),
  modified_at: new Date(token.modified_at).toISOString(),
})

/** Understands one term, and one range of days. */
function search(query: string): { rows: Row[]; total: number } {
  const [, field = '', value = ''] = /^([\w.]+):"?([^"]*?)"?$/.exec(query) ?? []
  const range = ranges[field]
  if (range) {
    const [from, to] = value.slice(1, -1).split(' TO ').map(Date.parse)
    return { rows: range.page.all(from, to), total: range.total.get(from, to)?.count ?? 0 }
  }
  if (field === 'id') return { rows: [existing(value)], total: 1 }
  const term = termOf(field === 'container' ? `below ${value.replace('*', '')}` : `${field} ${value}`)
  return { rows: statements.found.all(term), total: statements.foundTotal.get(term)?.count ?? 0 }
}

const pageOf = (rows: readonly Row[], total: number) => ({
  pagination: { page_number: 1, page_size: 20, total_items: total, total_pages: Math.ceil(total / 20) },
  data: rows.map(({ box }) => masked(open(box))),
})

/** Changes of one turn of the event loop, which are committed together. */
let waiting: (() => () => void)[] = []
function commit(change: () => Token, response: ServerResponse, status: number): void {
  if (
    waiting.push(() => {
      const token = change()
      return () => send(response, status, token)
    }) === 1
  )
    setImmediate(flush)
}
function flush(): void {
  const changes = waiting
  waiting = []
  database.exec('BEGIN')
  const responses = changes.map(change => change())
  database.exec('COMMIT')
  for (const respond of responses) respond()
}

function send(response: ServerResponse, status: number, content: unknown): void {
  const body = Buffer.from(JSON.stringify(content))
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
}

let total = 0
for (let n = 0; n < count; n++) {
  if (n % 1000 === 0) database.exec('BEGIN')
  insert(tokenAt(n, count) as never, Number(start) + (n / count) * spanMs)
  if (n % 1000 === 999 || n === count - 1) database.exec('COMMIT')
}
database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
total = statements.total.get()?.count ?? 0

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://peer')
  const id = pathname.split('/')[2]
  if (request.method === 'GET' && id !== undefined) return send(response, 200, masked(open(existing(id).box)))
  if (request.method === 'GET') {
    const pageSize = Number(searchParams.get('size') ?? 20)
    const page = Number(searchParams.get('page') ?? 1)
    return send(response, 200, pageOf(statements.page.all(pageSize, (page - 1) * pageSize), total))
  }
  const body = (await json(request)) as { query: string; metadata: Record<string, string> }
  if (id === 'search') {
    const { rows, total } = search(body.query)
    return send(response, 200, pageOf(rows, total))
  }
  if (id === undefined) commit(() => insert(body, Date.now()), response, 201)
  else commit(() => update(id, body.metadata), response, 200)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
