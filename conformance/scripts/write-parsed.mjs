/**
 * Writes the contract, the requirements, the examples of expressions and the titles of sections as JSON, which the suite reads at run time: to parse the YAML takes longer
 * than the rest of its start. Run by `npm run generate` and `npm run specification`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'

const folder = new URL('../src/generated/', import.meta.url)

export async function writeParsed() {
  await mkdir(folder, { recursive: true })
  for (const name of ['openapi', 'requirements', 'expressions']) {
    const text = await readFile(new URL(`../${name}.yaml`, import.meta.url), 'utf8')
    await writeFile(new URL(`${name}.json`, folder), JSON.stringify(parse(text)))
  }
  const specification = await readFile(new URL('../SPECIFICATION.md', import.meta.url), 'utf8')
  const headings = specification.matchAll(/^##+ ([\d.]*\d)\.? (.+)$/gm)
  const titles = Object.fromEntries([...headings].map(([, number, title]) => [number, title]))
  await writeFile(new URL('sections.json', folder), JSON.stringify(titles))
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) await writeParsed()
