/**
 * The ceiling: the work of a create and of a get with nothing around it. node:http, JSON, one AES-256-GCM, one group-committed
 * and synced LevelDB batch of ten keys. No keys, rules, validation, masks or audit log. `npm run bench -- requests` compares
 * with it, so it never changes.
 *
 *     node ceiling.mjs FOLDER
 */
import crypto from 'node:crypto'
import http from 'node:http'
import { ClassicLevel } from 'classic-level'

const db = new ClassicLevel(process.argv[2], { keyEncoding: 'utf8', valueEncoding: 'buffer' })
await db.open()

const key = crypto.randomBytes(32)
const none = Buffer.alloc(0)
let queue = []
let running = false
let last

async function pump() {
  running = true
  while (queue.length > 0) {
    const group = queue
    queue = []
    await db.batch(
      group.flatMap(commit => commit.operations),
      { sync: true },
    )
    for (const commit of group) commit.resolve()
  }
  running = false
}

function commit(operations) {
  return new Promise(resolve => {
    queue.push({ operations, resolve })
    if (!running) setImmediate(() => running || pump())
  })
}

async function read(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function send(response, status, value) {
  const text = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

async function create(request, response) {
  const id = crypto.randomUUID()
  const record = { id, ...JSON.parse(await read(request)), created_at: new Date().toISOString() }
  const iv = crypto.randomBytes(12)
  const cipher = crypto.createCipheriv('aes-256-gcm', key, iv)
  const box = Buffer.concat([
    iv,
    cipher.update(JSON.stringify(record), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const index = Array.from({ length: 9 }, (_, n) => ({ type: 'put', key: `i/${n}/${id}`, value: none }))
  await commit([{ type: 'put', key: `r/${id}`, value: box }, ...index])
  last = id
  send(response, 201, record)
}

async function get(response) {
  const box = await db.get(`r/${last}`)
  const decipher = crypto.createDecipheriv('aes-256-gcm', key, box.subarray(0, 12))
  decipher.setAuthTag(box.subarray(-16))
  const text = decipher.update(box.subarray(12, -16), null, 'utf8') + decipher.final('utf8')
  send(response, 200, JSON.parse(text))
}

const server = http.createServer((request, response) =>
  request.method === 'POST' ? create(request, response) : get(response),
)
server.listen(0, () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`))
