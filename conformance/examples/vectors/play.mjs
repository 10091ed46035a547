/**
 * Plays `vectors.json` against a server: each case of the suite as requests and expected responses. It is short, so that
 * it can be written again in the language of your tests.
 *
 * `BASE_URL=http://127.0.0.1:4000 PRIVATE_KEY=… MANAGEMENT_KEY=… node play.mjs vectors.json [ID …]`
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import process, { argv, env } from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'

/** How long a search may take to show a write, in milliseconds. */
const searchLag = 5000

/** Returns new values for `@{run}`, `@{run_dashed}` and `@{RUN}`: 4 digits, `4` and 3, `a` and 3. */
function runValues() {
  const digits = randomBytes(5).toString('hex')
  const parts = [digits.slice(0, 4), `4${digits.slice(4, 7)}`, `a${digits.slice(7)}`]
  return { run: parts.join(''), run_dashed: parts.join('-'), RUN: parts.join('').toUpperCase() }
}

/** Puts values in place of `@{name}`. A name alone becomes the value itself. */
function filled(template, values) {
  if (typeof template === 'string') {
    const alone = /^@\{(\w+)\}$/.exec(template)
    if (alone) return values[alone[1]]
    return template.replaceAll(/@\{(\w+)\}/g, (_all, name) => values[name])
  }
  if (Array.isArray(template)) return template.map(item => filled(item, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([name, inner]) => [filled(name, values), filled(inner, values)]),
  )
}

/** Returns the value at a JSON pointer (RFC 6901), or undefined. */
const valueAt = (body, pointer) =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value, part) => (Object.hasOwn(Object(value), part) ? value[part] : undefined), body)

/** Returns what differs from an expectation, or undefined. */
function difference(body, expectation, values) {
  const found = valueAt(body, expectation.at)
  const differs = (...what) =>
    `${expectation.at || 'body'}: expected ${what.join('')}, found ${JSON.stringify(found)}`
  if ('equals' in expectation) {
    const expected = filled(expectation.equals, values)
    return isDeepStrictEqual(found ?? null, expected) ? undefined : differs(JSON.stringify(expected))
  }
  if ('differs' in expectation) {
    const other = filled(expectation.differs, values)
    return isDeepStrictEqual(found, other) ? differs('another value') : undefined
  }
  if ('present' in expectation) return found === undefined || found === null ? differs('a value') : undefined
  if ('length' in expectation)
    return found?.length === expectation.length ? undefined : differs('length ', expectation.length)
  const missing = expectation.contains.find(
    all => !found?.some?.(item => all.every(one => difference(item, one, values) === undefined)),
  )
  return missing && differs('an item with ', JSON.stringify(filled(missing, values)))
}

/** Returns what a response does not meet, or undefined. */
function problemOf(step, status, body, values) {
  const isClass = step.status === 'error' ? status >= 400 : `${String(status)[0]}xx` === step.status
  if (step.status !== undefined && status !== step.status && !isClass)
    return `expected the status ${step.status}, found ${status}`
  for (const expectation of step.expect ?? []) {
    const problem = difference(body, expectation, values)
    if (problem) return problem
  }
  return undefined
}

/**
 * Plays one vector. Resolves with undefined, or with what did not meet it.
 *
 * @param server `{ baseUrl, values, fetch, advance }`: `values` has the keys that the vector needs, `advance` moves the
 * clock of the server by milliseconds
 */
export async function play(
  vector,
  { baseUrl, values: given, fetch = globalThis.fetch, advance, lag = searchLag },
) {
  const values = { ...given, ...runValues() }
  for (const [index, step] of vector.steps.entries()) {
    if (step.advance_ms !== undefined) {
      await advance(step.advance_ms)
      continue
    }
    const [path, headers] = [filled(step.path, values), filled(step.headers, values)]
    const text = 'body' in step ? JSON.stringify(filled(step.body, values)) : filled(step.text, values)
    const deadline = Date.now() + (path.endsWith('/search') ? lag : 0)
    for (;;) {
      const response = await fetch(new Request(baseUrl + path, { method: step.method, headers, body: text }))
      const content = await response.text()
      let body
      try {
        body = JSON.parse(content)
      } catch {
        body = undefined
      }
      const problem = problemOf(step, response.status, body, values)
      for (const [name, pointer] of Object.entries(step.keep ?? {})) values[name] = valueAt(body, pointer)
      if (problem === undefined) break
      if (Date.now() >= deadline) return `step ${index + 1}, ${step.method} ${path}: ${problem}`
      await pause(100)
    }
  }
  return undefined
}

async function main([path, ...ids]) {
  const { vectors } = JSON.parse(await readFile(path, 'utf8'))
  const names = ['private_key', 'public_key', 'management_key', 'other_private_key', 'other_management_key']
  const values = Object.fromEntries(
    names.flatMap(name => (env[name.toUpperCase()] ? [[name, env[name.toUpperCase()]]] : [])),
  )
  for (const vector of vectors.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
    const missing = vector.needs.find(name => !(name in values))
    const problem = missing ? undefined : await play(vector, { baseUrl: env.BASE_URL, values })
    if (problem) process.exitCode = 1
    const mark = problem ? 'not ok' : 'ok'
    process.stdout.write(`${mark} - ${vector.id} ${vector.title}${missing ? ` # SKIP ${missing}` : ''}\n`)
    if (problem) process.stdout.write(`  # ${problem}\n`)
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) await main(argv.slice(2))
