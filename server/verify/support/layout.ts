import axe, { type AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { artefact } from './chromium.ts'

/** Widths of a phone, a tablet, a laptop and a large screen, in pixels. */
const widths = [390, 768, 1400, 1920]

/** Those at which axe looks, since it takes long, and tablets and large screens show nothing else. */
const widthsOfAxe = [390, 1400]

/** A way to look at a page: its width and colours. */
export interface Look {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

export const looks: readonly Look[] = widths.flatMap(width => [
  { width, colorScheme: 'light' as const },
  { width, colorScheme: 'dark' as const },
])

export async function openLook(browser: Browser, { width, colorScheme }: Look): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  // A loader that runs this from source wraps functions in a call of this.
  await context.addInitScript('globalThis.__name = named => named')
  return context.newPage()
}

/** Returns the elements that reach beyond the screen, or beyond the column that they are in, and cannot be scrolled to. */
function overflowing(page: Page, columns: string): Promise<string[]> {
  return page.evaluate(selector => {
    const scrolls = (element: Element) => getComputedStyle(element).overflowX !== 'visible'
    const isScrolled = (element: Element, within: Element | null): boolean => {
      const parent = element.parentElement
      return parent !== null && parent !== within && (scrolls(parent) || isScrolled(parent, within))
    }
    const root = document.documentElement
    const found = root.scrollWidth > innerWidth ? [`the page: ${root.scrollWidth} of ${innerWidth}`] : []
    for (const element of document.body.querySelectorAll('*')) {
      const { left, right, width, height } = element.getBoundingClientRect()
      if (width <= 1 || height <= 1 || element.closest('.skip')) continue
      const column = element.parentElement?.closest(selector) ?? null
      const most = column ? column.getBoundingClientRect().right : innerWidth
      if ((right > most + 1 || left < -1) && !isScrolled(element, column)) {
        const { className, tagName } = element
        found.push(`${tagName}.${className}: ${Math.round(right)} of ${Math.round(most)}`)
      }
    }
    return found.slice(0, 5)
  }, columns)
}

/** Returns what axe finds to be a serious or critical obstacle for people who use the page in another way. */
async function obstacles(page: Page, within: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    `axe.run('${within}', { resultTypes: ["violations"] })`,
  )) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, any }) => `${id}: ${html} ${any[0]?.message ?? ''}`),
    )
}

/** Returns the contrast of the borders of visible fields and buttons that are less than 3:1 against what is around them. */
function faintBorders(page: Page, within: string): Promise<string[]> {
  return page.evaluate(selector => {
    const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = channels(colour).map(value => {
        const part = value / 255
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const isClear = (colour: string) => channels(colour)[3] === 0
    const behind = (element: Element | null): string => {
      const colour = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)'
      return isClear(colour) ? behind(element?.parentElement ?? null) : colour
    }
    const faint: string[] = []
    for (const field of document.querySelectorAll(`${selector} :is(input, select, textarea)`)) {
      if (!field.checkVisibility() || field.matches('[type=checkbox]')) continue
      const border = luminance(getComputedStyle(field).borderBottomColor)
      const around = luminance(behind(field.parentElement))
      const contrast = (Math.max(border, around) + 0.05) / (Math.min(border, around) + 0.05)
      if (contrast < 3) faint.push(`${field.outerHTML.slice(0, 80)}: ${contrast.toFixed(2)}`)
    }
    return faint
  }, within)
}

interface Parts {
  /** Selects the columns whose contents must not reach beyond them. */
  readonly columns: string
  /** Selects what is checked for obstacles and faint borders; all, if absent. */
  readonly within?: string
}

/** Returns what is wrong with a page as it is shown now, and keeps a picture of it for people to look at. */
export async function flaws(
  page: Page,
  name: string,
  look: Look,
  { columns, within = 'html' }: Parts,
): Promise<string[]> {
  const { width, colorScheme } = look
  await page.screenshot({ path: artefact(`${name}-${width}-${colorScheme}.png`) })
  const all = [...(await overflowing(page, columns)), ...(await faintBorders(page, within))]
  if (widthsOfAxe.includes(width)) all.push(...(await obstacles(page, within)))
  return all.map(flaw => `${name}, ${width} px, ${colorScheme}: ${flaw}`)
}
