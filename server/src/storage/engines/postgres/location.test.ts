import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { databaseName } from '../../../base/database-name.ts'
import { readLocation } from './location.ts'

const secret = 'very-secret-word'
const base = `postgres://me:${secret}@db.example:5433/vault`

t.test('a URL says where, who and how', async t => {
  t.match(readLocation(base), {
    host: 'db.example',
    port: 5433,
    user: 'me',
    password: secret,
    database: 'vault',
    max: 20,
  })
  t.equal(readLocation(base).ssl, undefined)
  t.match(readLocation(`${base}?pool=25&application_name=mine&connect_timeout=3`), {
    max: 25,
    application_name: 'mine',
    connectionTimeoutMillis: 3000,
  })
  t.match(readLocation(`${base}?options=-c%20search_path%3Dmine`), { options: '-c search_path=mine' })
  t.match(readLocation('postgres:///vault?host=/run/postgresql'), { host: '/run/postgresql' })
  t.match(readLocation(`postgresql://me:a%2Fb%40c@db.example/vault`), { password: 'a/b@c' })
  t.equal(databaseName(base), 'vault at db.example:5433')
  t.equal(databaseName('postgres://me@db.example/vault'), 'vault at db.example:5432')
})

t.test('TLS modes have the meaning of libpq', async t => {
  const authority = join(t.testdir(), 'authority.pem')
  writeFileSync(authority, 'a certificate')
  const ssl = (parameters: string) => readLocation(`${base}?${parameters}`).ssl
  t.equal(ssl('sslmode=disable'), false)
  t.match(ssl('sslmode=require'), { rejectUnauthorized: false })
  t.same(ssl('sslmode=verify-full'), {}, 'all is verified')
  t.match(ssl(`sslmode=verify-full&sslrootcert=${authority}`), { ca: 'a certificate' })
  t.match(ssl(`sslmode=verify-ca&sslrootcert=${authority}`), {
    ca: 'a certificate',
    checkServerIdentity: Function,
  })
})

t.test('a URL that is not valid is refused, without repeating its password', async t => {
  const wrong: readonly [url: string, says: RegExp][] = [
    [`postgres://me:${secret}@db.example:port/vault`, /not valid; use postgres:\/\/USER:PASSWORD@HOST/],
    [`postgres://me:${secret}@db.example`, /names no database/],
    [`postgres://me:${secret}@db.example/`, /names no database/],
    [`${base}?sslmod=disable`, /unknown parameter; known are host, sslmode/],
    [`${base}?sslmode=prefer`, /sslmode .* one of disable, require, verify-ca, verify-full/],
    [`${base}?sslmode=verify-ca`, /parameters of the storage URL/],
    [`${base}?sslmode=verify-full&sslrootcert=/no/such/file`, /certificate or key file .* cannot be read/],
    [`${base}?pool=1`, /pool .* from 2 to 500/],
    [`${base}?pool=501`, /pool .* from 2 to 500/],
    [`${base}?pool=ten`, /pool .* from 2 to 500/],
    [`${base}?connect_timeout=0`, /connect_timeout .* from 1 to 600/],
    [`${base}?connect_timeout=1s`, /connect_timeout .* from 1 to 600/],
  ]
  for (const [url, says] of wrong) {
    t.throws(() => readLocation(url), { name: 'DatabaseRefused', message: says })
    try {
      readLocation(url)
    } catch (error) {
      t.notMatch(String(error), secret)
    }
  }
})
