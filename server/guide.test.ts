import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { permissionDescriptions, permissions, permissionsByType } from './src/generated/facts.ts'
import { flags } from './src/options/program-table.ts'
import { openVault } from './verify/support/vault.ts'

const folder = new URL('guide/', import.meta.url)
const pageNames = readdirSync(folder).filter(name => name.endsWith('.md'))
const pages = [new URL('README.md', import.meta.url), ...pageNames.map(name => new URL(name, folder))]
const read = (page: URL) => readFileSync(page, 'utf8')

/** The anchors that GitHub and npm make of headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

const published = /\/server\/(README\.md|guide\/[\w-]+\.(md|svg)|src\/.*README\.md)$/

t.test('the page on configuration has a row for each flag', async t => {
  const page = readFileSync(new URL('guide/configure.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (`--[^|]+) \|/gm)].flatMap(([, names = '']) => [
    ...names.matchAll(/--([\w-]+)/g),
  ])
  const known = flags.map(({ name }) => name).filter(name => name !== 'help' && name !== 'version')
  t.same(rows.map(([, name]) => name).sort(), known.sort())
})

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
  for (const name of pageNames) t.ok(readme.includes(`(guide/${name})`), name)
  const guide = pages.map(read).join()
  for (const { name } of flags) if (name !== 'version') t.ok(guide.includes(`\`--${name}`), name)
})

t.test('the guide has all permissions, with the kinds that may hold each', async t => {
  const rows = permissions.map(permission => {
    const kinds = Object.entries(permissionsByType).filter(([, held]) => held.some(one => one === permission))
    const names = kinds.map(([kind]) => kind).join(', ')
    return `| \`${permission}\` | ${names} | ${permissionDescriptions[permission]} |\n`
  })
  t.ok(read(new URL('access.md', folder)).includes(rows.join('')), rows.join(''))
})

t.test('what the page of other tools names is there, and takes what it shows', async t => {
  const page = read(new URL('coming-from.md', folder))
  const vault = openVault(t, { storage: 'memory:' })
  const tenant = await vault.dev.createTenant()
  const dev = vault.dev.forTenant(tenant)
  const members = new Set([...page.matchAll(/`((?:dev|tenant)(?:\.\w+)+)/g)].map(([, name = '']) => name))
  t.ok(members.size > 15)
  for (const name of members) {
    const steps = name.split('.').slice(1)
    // biome-ignore lint/suspicious/noExplicitAny: any member may follow
    const found = steps.reduce((of: any, step) => of?.[step], name.startsWith('dev') ? dev : tenant)
    t.ok(found !== undefined, name)
  }
  const faults = [...page.matchAll(/dev\.faults\.next\((\{[^)]+\})\)/g)].map(([, given = '']) => given)
  t.ok(faults.length >= 8)
  for (const given of faults) {
    const json = given.replaceAll(/(\w+):/g, '"$1":').replaceAll("'", '"')
    await t.resolves(dev.faults.next(JSON.parse(json)), given)
  }
  for (const [, flag = ''] of page.matchAll(/npx @surrogate\/server[^`]* --(\w[\w-]*)/g))
    t.ok(
      flags.some(({ name }) => name === flag),
      flag,
    )
})
