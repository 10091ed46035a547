// In a process of its own: it starts a browser.
// Only in CI: it starts a browser.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import tap from 'tap'
import { artefact, openBrowser, withoutChromium } from '../../../server/verify/support/chromium.ts'
import { contract, openReference } from '../../selftest/_reference.ts'
import { redactor } from '../redact.ts'
import { run } from '../run.ts'
import { reportOf } from './model.ts'
import { writeReport } from './write.ts'

/** A person reads the report of a server with a fault and without search. */
tap.test(
  'the report is readable in a browser, and its links lead to the sentences',
  withoutChromium,
  async t => {
    const reference = await openReference()
    t.teardown(reference.close)
    const { target } = reference
    const faulty = {
      ...target,
      fetch: async (request: Request) => {
        const response = await target.fetch(request)
        return request.method === 'DELETE' && response.status === 404
          ? new Response(null, { status: 204 })
          : response
      },
    }
    const made = await run(faulty, { contract, only: ['TOK-037', 'TOK-038', 'TOK-001'], claims: ['tokens'] })
    const identity = { name: 'A <faulty> server', version: '1.2', contact: 'me@example.org' }
    const about = { target, identity, through: 'http', startedAt: new Date(), redact: redactor(target) }
    const folder = t.testdir({})
    await writeReport(folder, reportOf(made, about))

    const browser = await openBrowser(t)
    for (const [name, colorScheme, width] of [
      ['report', 'light', 1100],
      ['report-phone-dark', 'dark', 390],
    ] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
      const problems: string[] = []
      page.on('console', message => problems.push(message.text()))
      page.on('pageerror', error => problems.push(error.message))
      await page.goto(pathToFileURL(join(folder, 'report.html')).href)
      t.equal(await page.locator('h1').innerText(), 'Conformance of A <faulty> server 1.2')
      t.match(
        await page.locator('.verdict').first().innerText(),
        /^claimed tokens: \d+ of \d+, not conformant/,
      )
      t.match(await page.locator('#next + ol li').first().innerText(), /^TOK-038 /)
      t.equal(await page.locator('h3').count(), 1, 'one finding')
      const exchange = page.locator('section li pre').first()
      t.ok(await exchange.isVisible(), 'the exchange of the finding is open')
      t.match(await exchange.innerText(), /^DELETE \/tokens\//)
      t.match(await page.locator('section li pre').last().innerText(), /^curl -i -X DELETE /)
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      t.equal(overflow, 0, 'nothing is wider than the page')
      await page.screenshot({ path: artefact(`${name}.png`), fullPage: true })
      await page.locator('blockquote a').click()
      t.match(page.url(), /specification\.html#TOK-038$/)
      t.match(await page.locator(':target + dd').innerText(), /^A delete that fails is an error\.$/)
      t.same(problems, [])
      await page.close()
    }
  },
)
