import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Test } from 'tap'
import { Canaries, findLeaks } from './canaries.ts'

/**
 * Tests that use the fixtures for test runners, for each runner the same: some pass, some fail, and each failure must
 * leave a report without data of its run.
 */
const canaries = new Canaries()
const digits = (what: string) => canaries.digits(what, 16)
const [body, path, header, argument, printed, title] = [
  ...['a card in a body', 'a card in a path', 'a card in a header', 'a card in arguments'],
  ...['a card that a formula printed', 'a card in a title'],
].map(digits)

/** A CommonJS module of the bodies of the tests, so that jest can load it, too. */
export const casesModule = `
const { Surrogate } = require('@surrogate/sdk')
const card = { type: 'card', data: { number: '4242424242424242' } }
let seeds = 0

async function reactorOf({ surrogate, tenant, dev }) {
  const application = await dev.application({ type: 'management' })
  const manage = new Surrogate({ ...application, apiKey: tenant.managementKey })
  const code = \`module.exports = async ({ args }) => { console.log('${printed}', args.card); return { raw: { card: args.card, '${printed}': 1 } } }\`
  const formula = await manage.reactorFormulas.create({ name: 'a', type: 'private', code })
  const { created_by: id } = await surrogate.tokens.create(card)
  return manage.reactors.create({ name: 'a', formula, application: { id }, configuration: {} })
}

module.exports = {
  card,
  async passes({ surrogate, dev }) {
    await surrogate.tokens.create(card)
    await dev.requests.assert({ operation: 'tokens.create', body: card, times: 1 })
  },
  async hostile(fixture) {
    const { surrogate, dev } = fixture
    await surrogate.tokens.create({ type: 'token', data: '${body}' }, { idempotencyKey: '${header}' })
    await surrogate.tokens.get('${path}').catch(() => {})
    const reactor = await reactorOf(fixture)
    const args = { card: '${argument}' }
    await surrogate.reactors.react(reactor.id, { args, callback_url: dev.inbox.url + '${path}' })
    await dev.inbox.next()
    throw new Error('the card is ${body}')
  },
  hostileTitle: 'charges ${title}',
  async fault({ dev }) {
    await dev.faults.next({ operation: 'tokens.get', status: 503 })
  },
  async delivery(fixture) {
    const { surrogate, dev } = fixture
    const reactor = await reactorOf(fixture)
    await dev.inbox.respond(503)
    await surrogate.reactors.react(reactor.id, { args: {}, callback_url: dev.inbox.url })
    await dev.settled()
  },
  async seed({ surrogate }) {
    seeds++
    await surrogate.tokens.create({ ...card, id: 'seeded' })
  },
  async seeded({ surrogate, dev }) {
    await dev.requests.assertNone()
    if ((await surrogate.tokens.list()).pagination.total_items !== 1) throw new Error('it was not restored')
    await surrogate.tokens.create(card)
    await surrogate.tokens.delete('seeded')
    if (seeds !== 1) throw new Error('it was seeded ' + seeds + ' times')
  },
}
`

/** Calls of a runner's \`test\` for each of the cases, by how the runner wraps the body of a test. */
export const calls = (test: string, seeded: string, wrap: (body: string, isSeeded: boolean) => string) =>
  [
    ['passes', "'passes'", false],
    ['hostile', 'cases.hostileTitle', false],
    ['fault', "'leaves a fault'", false],
    ['delivery', "'leaves a delivery'", false],
    ['seeded', "'seeded'", true],
    ['seeded', "'seeded again'", true],
  ]
    .map(
      ([name, title, isSeeded]) =>
        `${isSeeded ? seeded : test}(${title}, ${wrap(`cases.${name}`, isSeeded === true)})`,
    )
    .join('\n')

/** Checks what a run printed and the reports that it left. */
export function checkRun(t: Test, printedByRunner: string, folder: string): void {
  const escaped = stripVTControlCharacters(printedByRunner)
  t.match(escaped, /these faults were not used/)
  t.match(escaped, /1 asynchronous invocation is left over/)
  t.notMatch(escaped, /it was not restored|it was seeded/)
  t.match(escaped, /4 failed|3 failed|fail 3|fail: 3/)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const read = (extension: string) =>
    files.filter(name => name.endsWith(extension)).map(name => readFileSync(join(folder, name), 'utf8'))
  const pages = read('.html')
  // Playwright has a file of its own among them.
  const documents = read('.json')
    .map(text => JSON.parse(text))
    .filter(({ data }) => Array.isArray(data))
  t.equal(new Set(pages).size, 3, 'a page for each failure')
  t.same(findLeaks(canaries.all, [...pages, ...documents.map(one => JSON.stringify(one))].join('\n')), [])
  const kindsOf = ({ data }: { data: { kind: string }[] }) => new Set(data.map(({ kind }) => kind))
  const hostile = documents.find(
    one =>
      kindsOf(one).has('webhook') &&
      kindsOf(one).has('console') &&
      one.data.some(({ status }: { status?: number }) => status === 404),
  )
  t.ok(hostile, 'the control: the run with data has its timeline')
  t.ok(documents.some(({ faults }) => faults.some(({ left }: { left: number }) => left === 1)))
  t.ok(pages.some(page => /Faults that were not used/.test(page)))
  t.ok(pages.some(page => /: tokens\.get 404, not_found</.test(page)))
}
