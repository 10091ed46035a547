import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** The machine's Chromium. CI names it in `SURROGATE_CHROMIUM`, so that it cannot be missed unnoticed there. */
function findChromium(): string | undefined {
  const { SURROGATE_CHROMIUM, PATH = '' } = process.env
  if (SURROGATE_CHROMIUM) return SURROGATE_CHROMIUM
  const places = PATH.split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return places.find(place => existsSync(place))
}

const executablePath = findChromium()

/** For the options of a test that needs a browser: why it is left out, if it has to be. */
export const withoutChromium =
  executablePath === undefined
    ? { skip: `no browser here (${names.join(', ')}): install Debian's chromium` }
    : {}

/** A headless browser that reaches this machine and no other, closed when the test ends. */
export async function openBrowser(t: { teardown(task: () => unknown): void }): Promise<Browser> {
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--no-proxy-server',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
  t.teardown(() => browser.close())
  return browser
}

/** Where CI keeps what a person may want to look at. */
export function artefact(name: string): string {
  const folder = fileURLToPath(new URL('../../.ci/artefacts/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  return join(folder, name)
}
