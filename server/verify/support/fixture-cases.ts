import { stripVTControlCharacters } from 'node:util'
import type { Test } from 'tap'

/**
 * A CommonJS module, so that jest can load it, too, of the bodies of tests that use the fixtures, for each runner the
 * same: some pass, and some leave over what fails them.
 */
export const casesModule = `
const { Surrogate } = require('@surrogate/sdk')
const card = { type: 'card', data: { number: '4242424242424242' } }
let seeds = 0

async function reactorOf({ surrogate, tenant, dev }) {
  const application = await dev.application({ type: 'management' })
  const manage = new Surrogate({ ...application, apiKey: tenant.managementKey })
  const code = 'module.exports = async () => ({ raw: 1 })'
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

/** Checks what a run printed. */
export function checkRun(t: Test, printedByRunner: string): void {
  const escaped = stripVTControlCharacters(printedByRunner)
  // The name of a failure in TAP is its message.
  const texts = escaped.replaceAll(/^ *not ok .*$/gm, '')
  t.equal(texts.match(/these faults were not used/g)?.length ?? 1, 1, 'printed once')
  t.match(escaped, /these faults were not used/)
  t.match(escaped, /1 asynchronous invocation is left over/)
  t.notMatch(escaped, /it was not restored|it was seeded/)
  t.match(escaped, /3 failed|2 failed|fail 2|fail: 2/)
}
