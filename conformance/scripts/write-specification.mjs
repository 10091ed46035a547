/**
 * Writes the requirements of each section and the table of filters into SPECIFICATION.md, from requirements.yaml and
 * expressions.yaml, and the ids of new requirements into ids.txt: `npm run specification`. Tests check that both files are up to date.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { writeParsed } from './write-parsed.mjs'

const file = name => new URL(`../${name}`, import.meta.url)
const line = ({ id, level, status, text }) => {
  const notes = [level === 'MUST' ? '' : level, status ?? ''].filter(note => note !== '')
  return `- <a id="${id.toLowerCase()}"></a>**${id}** ${notes.length === 0 ? '' : `(${notes.join(', ')}) `}${text}`
}

/**
 * @param {string} text SPECIFICATION.md
 * @param {readonly any[]} requirements records of requirements.yaml
 * @returns {string} the text with the requirements after each marker, except for withdrawn ones
 */
export function withRequirements(text, requirements) {
  const shown = requirements.filter(one => one.status !== 'withdrawn')
  const named = new Set([...text.matchAll(/<!-- requirements (\S+) -->/g)].map(match => match[1]))
  const missing = shown.filter(one => one.profile === 'core' && !named.has(one.section))
  if (missing.length > 0) throw new Error(`SPECIFICATION.md has no section ${missing[0].section}`)
  return text.replaceAll(
    /(<!-- requirements (\S+) -->\n)(?:(?:(?!<!-- requirements )[\s\S])*?<!-- end -->\n)?/g,
    (_all, marker, section) => {
      const own = shown.filter(one =>
        section === 'surrogate'
          ? one.profile === 'surrogate'
          : one.profile === 'core' && one.section === section,
      )
      const groups = new Map()
      for (const one of own) groups.set(one.section, [...(groups.get(one.section) ?? []), one])
      const parts =
        section === 'surrogate'
          ? [...groups].map(([name, all]) => `### ${name}\n\n${all.map(line).join('\n')}\n`)
          : [`${own.map(line).join('\n')}\n`]
      return own.length === 0 ? marker : `${marker}${parts.join('\n')}<!-- end -->\n`
    },
  )
}

/** Returns a value as code in a cell of a table. */
const cell = value => `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``

/**
 * @param {string} text SPECIFICATION.md
 * @param {readonly any[]} filters records of expressions.yaml
 * @returns {string} the text with a table of the filters of each profile and their examples
 */
export function withExpressions(text, filters) {
  return text.replaceAll(
    /(<!-- expressions (\S+) -->\n)[\s\S]*?(<!-- end of expressions -->)/g,
    (_all, start, profile, end) => {
      const rows = filters
        .filter(one => (one.profile ?? 'surrogate') === profile)
        .flatMap(({ filter, arguments: given, means, examples }) =>
          examples.map(([expression, data, result], index) => {
            const name = index === 0 ? `\`${filter}${given ? `: ${given}` : ''}\`` : ''
            const shown = result === undefined ? 'nothing' : cell(result)
            return `| ${name} | ${index === 0 ? means : ''} | \`${expression.replaceAll('|', '\\|')}\` | ${cell(data)} | ${shown} |`
          }),
        )
      const table = [
        '| filter | result | example | `data` | gives |',
        '| --- | --- | --- | --- | --- |',
        ...rows,
      ]
      return `${start}${table.join('\n')}\n${end}`
    },
  )
}

/** Returns the lines of ids.txt and one for each new requirement. A line that no longer holds stays, for a test to find. */
function withIds(text, requirements) {
  const lines = text.trim().split('\n')
  return `${[...new Set([...lines, ...requirements.map(one => `${one.id} ${one.profile} ${one.level}`)])].join('\n')}\n`
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const text = await readFile(file('SPECIFICATION.md'), 'utf8')
  const requirements = parse(await readFile(file('requirements.yaml'), 'utf8'))
  const filters = parse(await readFile(file('expressions.yaml'), 'utf8'))
  await writeFile(file('SPECIFICATION.md'), withExpressions(withRequirements(text, requirements), filters))
  await writeFile(file('ids.txt'), withIds(await readFile(file('ids.txt'), 'utf8'), requirements))
  await writeParsed()
}
