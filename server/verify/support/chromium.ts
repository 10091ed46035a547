import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Finds Chromium. CI sets `SURROGATE_CHROMIUM`, so that its tests fail there instead of being skipped. */
function findChromium(): string | undefined {
  const { SURROGATE_CHROMIUM, PATH = '' } = process.env
  if (SURROGATE_CHROMIUM) return SURROGATE_CHROMIUM
  const places = PATH.split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return places.find(place => existsSync(place))
}

const executablePath = findChromium()

/** Options of a test that needs a browser: skips it without one. */
export const withoutChromium =
  executablePath === undefined
    ? { skip: `no browser found (${names.join(', ')}): install Debian's chromium` }
    : {}

/** Opens a headless browser that can only reach this machine. It is closed when the test ends. */
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

/** Returns the path of a file that CI keeps for people to look at. */
export function artefact(name: string): string {
  const folder = fileURLToPath(new URL('../../../.ci/artefacts/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  return join(folder, name)
}
