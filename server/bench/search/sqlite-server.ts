/**
 * For comparison: SQLite with an index for these searches, behind Node's HTTP server. It does less than our server:
 * no API keys, no rules, no masks, no encryption; a row is the JSON of the response.
 *
 *     sqlite-server.ts SQLITE FILE COUNT START
 */
import { existsSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { spanMs, tokenAt } from './corpus.ts'
import type { Selection } from './shapes.ts'
import { openDatabase, type Statement } from './sqlite.ts'

/** A search that skips `offset` rows, or continues after the place `before`. */
export interface PeerSearch {
  readonly sql: Selection
  readonly size: number
  readonly offset: number
  readonly before?: number
}

const [sqlite = '', file = '', size = '', start = ''] = process.argv.slice(2)
const [count, startMs] = [Number(size), Number(start)]

function build(): void {
  const database = openDatabase(sqlite, file)
  database.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;
    CREATE TABLE docs (ord INTEGER PRIMARY KEY, us INTEGER NOT NULL, body TEXT NOT NULL);
    CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE postings (term INTEGER NOT NULL, ord INTEGER NOT NULL, PRIMARY KEY (term, ord)) WITHOUT ROWID;
    BEGIN`)
  const addDoc = database.prepare('INSERT INTO docs VALUES (?, ?, ?)')
  const addName = database.prepare('INSERT INTO names VALUES (?, ?)')
  const addPosting = database.prepare('INSERT INTO postings VALUES (?, ?)')
  const ids = new Map<string, number>()
  for (let ord = 0; ord < count; ord++) {
    const { body, terms } = tokenAt(ord, count)
    addDoc.run(ord, Math.floor((startMs + (ord / count) * spanMs) * 1000), JSON.stringify(body))
    for (const name of terms) {
      let id = ids.get(name)
      if (id === undefined) {
        id = ids.size + 1
        ids.set(name, id)
        addName.run(id, name)
      }
      addPosting.run(id, ord)
    }
  }
  database.exec('COMMIT; CREATE INDEX docs_by_time ON docs (us); ANALYZE')
}

if (!existsSync(file)) {
  try {
    build()
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}

const database = openDatabase(sqlite, file)
// As much memory for the index as our engine uses.
database.exec('PRAGMA cache_size = -131072; PRAGMA mmap_size = 268435456')
const statements = new Map<string, Statement>()
function prepare(sql: string): Statement {
  let statement = statements.get(sql)
  if (!statement) {
    statement = database.prepare(sql)
    statements.set(sql, statement)
  }
  return statement
}

function search({ sql, size: limit, offset, before }: PeerSearch): string {
  const name = prepare('SELECT id FROM names WHERE name = ?')
  const values = sql.terms.map(term => (name.get(term) as { id: number } | undefined)?.id ?? 0)
  if (sql.fromMs !== undefined && sql.toMs !== undefined) {
    const first = prepare('SELECT min(ord) AS ord FROM docs WHERE us >= ?').get(sql.fromMs * 1000)
    const last = prepare('SELECT max(ord) AS ord FROM docs WHERE us <= ?').get(sql.toMs * 1000)
    values.push((first as { ord: number }).ord, (last as { ord: number }).ord)
  }
  const { total } = prepare(`SELECT count(*) AS total FROM (${sql.text})`).get(...values) as { total: number }
  const behind = before === undefined ? '' : ' AND ord < ?'
  const page = prepare(
    `SELECT body FROM (${sql.text}${behind} ORDER BY ord DESC LIMIT ? OFFSET ?) JOIN docs USING (ord) ORDER BY ord DESC`,
  ).all(...values, ...(before === undefined ? [] : [before]), limit, offset) as { body: string }[]
  return `{"total":${total},"data":[${page.map(row => row.body).join()}]}`
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const answer = Buffer.from(search(JSON.parse(Buffer.concat(chunks).toString())))
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length })
    response.end(answer)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
