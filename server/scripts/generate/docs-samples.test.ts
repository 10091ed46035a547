import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { languages, placeholders } from '../../src/http/docs/languages.ts'
import { requestsOf } from './docs-samples.ts'

const generated = new URL('../../src/generated/', import.meta.url)
const read = (file: string) => JSON.parse(readFileSync(new URL(file, generated), 'utf8'))
const requests = requestsOf(read('openapi.json'))

t.test('each request of the contract has a sample in each language', async t => {
  t.ok(requests.length > 35, `${requests.length} requests`)
  const withoutExample = requests.filter(({ example, har }) => example === '' && har.postData)
  t.same(
    withoutExample.map(({ operation }) => operation),
    [],
    'an operation with a body has an example',
  )
  for (const language of Object.keys(languages)) {
    const samples = read(`docs/samples/${language}.json`)
    for (const { operation, example } of requests) {
      const code: string = samples[operation]?.[example] ?? ''
      for (const part of [placeholders.origin, placeholders.key])
        t.ok(code.includes(part), `${language}, ${operation}`)
    }
  }
})

/** Runs all samples with a library that keeps what it is asked to send. */
const runner = `
import json, sys, types
sent = []
class Response: text = ''
def keep(method):
    def send(url, json=None, headers=None, data=None):
        sent.append([method, url, json if json is not None else data, headers])
        return Response()
    return send
stub = types.ModuleType('requests')
for method in ['get', 'post', 'put', 'patch', 'delete']: setattr(stub, method, keep(method.upper()))
stub.request = lambda method, url, **rest: keep(method)(url, **rest)
sys.modules['requests'] = stub
out, sys.stdout = sys.stdout, sys.stderr
for code in json.load(sys.stdin): exec(code, {})
json.dump(sent, out)
`

const skip = spawnSync('python3', ['--version']).status !== 0 && 'there is no python3 here'

t.test('each sample in Python sends the request that it is a sample of', { skip }, async t => {
  const samples = read('docs/samples/python.json')
  const running = promisify(execFile)('python3', ['-c', runner])
  running.child.stdin?.end(
    JSON.stringify(requests.map(({ operation, example }) => samples[operation][example])),
  )
  const sent = JSON.parse((await running).stdout)
  for (const [index, { operation, har }] of requests.entries()) {
    const [method, url, body, headers] = sent[index]
    const query = har.queryString.map(({ name, value }) => `?${name}=${value}`).join('')
    t.same([method, url], [har.method, har.url + query], operation)
    const text = har.postData?.text
    t.same(
      typeof body === 'string' ? JSON.parse(body) : (body ?? undefined),
      text && JSON.parse(text),
      operation,
    )
    t.equal(headers[placeholders.header], placeholders.key)
  }
})
