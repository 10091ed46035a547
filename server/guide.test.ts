import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { flags } from './src/program/config.ts'

const folder = new URL('guide/', import.meta.url)
const pages = [
  new URL('README.md', import.meta.url),
  ...readdirSync(folder).map(name => new URL(name, folder)),
]
const read = (page: URL) => readFileSync(page, 'utf8')

/** The anchors that GitHub and npm make of headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

const published = /\/server\/(README\.md|guide\/[\w-]+\.md|src\/.*README\.md)$/

t.test('every link in the README and the guide leads to a published file and a heading in it', async t => {
  const { files } = JSON.parse(read(new URL('package.json', import.meta.url)))
  for (const name of ['README.md', 'guide', 'src/**/README.md']) t.ok(files.includes(name), name)
  for (const page of pages) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const url = new URL(target, page)
      const { hash, pathname } = url
      url.hash = ''
      t.ok(existsSync(fileURLToPath(url)), `${page.pathname}: ${target}`)
      t.match(pathname, published, `${page.pathname}: ${target}`)
      if (hash !== '') t.ok(anchorsOf(read(url)).includes(hash.slice(1)), `${page.pathname}: ${target}`)
    }
  }
})

t.test('the README names every page of the guide, and the guide every flag', async t => {
  const readme = read(new URL('README.md', import.meta.url))
  for (const name of readdirSync(folder)) t.ok(readme.includes(`(guide/${name})`), name)
  const guide = pages.map(read).join()
  for (const { name } of flags) if (name !== 'version') t.ok(guide.includes(`\`--${name}`), name)
})
