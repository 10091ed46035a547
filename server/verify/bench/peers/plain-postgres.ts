/**
 * Creates on PostgreSQL behind node:http, as plain as they can be and still keep data: one statement for a token and an
 * entry of an audit log. No validation, rules or expressions. Run by `run.ts`.
 *
 *     plain-postgres.ts URL
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import pg from 'pg'
import { type GivenToken, isIndexed, seal, termsOf } from './plain-records.ts'

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 })
await pool.query(`
  CREATE TABLE plain_tokens (id uuid PRIMARY KEY, created timestamptz, terms uuid[], box bytea);
  CREATE INDEX ON plain_tokens USING gin (terms);
  CREATE INDEX ON plain_tokens (created);
  CREATE TABLE plain_audit (id uuid PRIMARY KEY, at timestamptz, box bytea)`)
const text = `
  WITH made AS (INSERT INTO plain_tokens VALUES ($1, $2, $3, $4))
  INSERT INTO plain_audit VALUES ($5, $2, $6)`

const server = createServer(async (request, response) => {
  const given = (await json(request)) as GivenToken
  const { type = 'token', data, metadata = {}, containers = ['/'] } = given
  const at = new Date()
  const id = randomUUID()
  const token = { id, type, data, metadata, containers, created_at: at.getTime(), modified_at: at.getTime() }
  const terms = `{${termsOf(token, isIndexed(given)).map(term => term.toString('hex'))}}`
  const entry = seal({ operation: 'create', id, at })
  await pool.query({ name: 'create', text, values: [id, at, terms, seal(token), randomUUID(), entry] })
  const body = Buffer.from(JSON.stringify(token))
  response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
