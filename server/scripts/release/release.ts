/**
 * `npm run release [-- --dry-run]`: builds and packs the three packages, checks that they belong together, runs the
 * conformance suite, and writes the notes of the release from the changelog. `release/` then has everything that is
 * attached to the release. Without `--dry-run` it then publishes the packages; this needs a clean working tree whose
 * commit has the tag of the version.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, folder, names, packAll, root, run, say } from './pack.ts'
import { type Manifest, notesOf, problemsOf } from './release-checks.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

function fail(problems: readonly string[]): never {
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exit(1)
}

const flags = process.argv.slice(2)
const isDryRun = flags.includes('--dry-run')
const unknown = flags.filter(flag => flag !== '--dry-run')
if (unknown.length > 0) fail([`unknown flag ${unknown[0]}; the only one is --dry-run`])

const manifests: Manifest[] = names.map(name => JSON.parse(read(`${name}/package.json`)))
const version = manifests[0]?.version ?? ''
const problems = problemsOf(manifests, read('sdk/src/version.ts'))
const notes = notesOf(read('CHANGELOG.md'), version, isDryRun)
if (notes === undefined)
  problems.push(`CHANGELOG.md: there is no section "## [${version}]"; rename "Unreleased"`)
if (!isDryRun) {
  if (run('git', 'status', '--porcelain') !== '')
    problems.push('the working tree has changes; commit them first')
  if (!run('git', 'tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`))
    problems.push(`the commit has no tag v${version}; add it with git tag v${version}`)
}
if (problems.length > 0 || notes === undefined) fail(problems)

build()
run('npm', 'run', 'vectors')
const packed = packAll()
run('npm', 'run', 'conformance', '--', join(folder, 'conformance-report'))
say('the server is conformant: release/conformance-report/')
writeFileSync(join(folder, 'notes.md'), notes)
say(`wrote the notes of the release: release/notes.md, ${notes.split('\n').length} lines`)

if (isDryRun) say('nothing was published')
else for (const { filename } of packed) say(run('npm', 'publish', join(folder, filename)))
