import { readFileSync } from 'node:fs'
import t from 'tap'
import { type Manifest, notesOf, problemsOf } from './release-checks.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const manifests: Manifest[] = ['sdk', 'server', 'conformance'].map(name =>
  JSON.parse(read(`${name}/package.json`)),
)
const version = read('sdk/src/version.ts')

t.test('the packages belong together', async t => {
  t.same(problemsOf(manifests, version), [])
})

t.test('each difference is named', async t => {
  const [sdk, server, conformance] = manifests
  if (!sdk || !server || !conformance) throw new Error('a package is missing')
  const changes: [Partial<Manifest>, RegExp][] = [
    [{ version: '9.9.9' }, /server: version: must be/],
    [{ engines: { node: '>=18' } }, /server: engines/],
    [{ private: true }, /server: private/],
    [{ homepage: '' }, /homepage/],
    [{ repository: { url: 'https://elsewhere.example.org', directory: 'server' } }, /repository: must/],
    [{ repository: { ...server.repository, directory: 'sdk' } }, /repository.directory/],
    [{ publishConfig: { access: 'public' } }, /provenance/],
    [{ publishConfig: { provenance: true } }, /access/],
    [{ files: ['dist'] }, /CHANGELOG/],
  ]
  for (const [change, says] of changes) {
    const problems = problemsOf([sdk, { ...server, ...change }, conformance], version)
    t.equal(problems.length, 1, JSON.stringify(change))
    t.match(problems[0], says)
  }
  t.match(problemsOf(manifests, `export const version = '9.9.9'`), [/version\.ts/])
})

t.test('the notes are the section of the version', async t => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- soon\n\n## [1.1.0] - 2030-01-01\n\n### Added\n\n- a\n\n## [1.0.0]\n\n- b\n'
  t.equal(notesOf(changelog, '1.1.0', false), '### Added\n\n- a\n')
  t.equal(notesOf(changelog, '1.0.0', false), '- b\n')
  t.equal(notesOf(changelog, '1.2.0', false), undefined)
  t.equal(notesOf(changelog, '1.2.0', true), '- soon\n', 'a dry run shows what is unreleased')
  t.ok(notesOf(read('CHANGELOG.md'), manifests[0]?.version ?? '', true))
})
