/** The members of a `package.json` that a release depends on. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly homepage?: string
  readonly bugs?: unknown
  readonly engines?: { readonly node?: string }
  readonly files?: readonly string[]
  readonly repository?: { readonly url?: string; readonly directory?: string }
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean }
}

/** Returns what is wrong with the packages of a release, one sentence for each problem. */
export function problemsOf(manifests: readonly Manifest[], sdkVersion: string): string[] {
  const [first] = manifests
  const problems = manifests.flatMap(manifest => {
    const wrong: [boolean, string][] = [
      [manifest.version !== first?.version, `version: must be ${first?.version}, as in ${first?.name}`],
      [!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(manifest.version), 'version: must be a semantic version'],
      [manifest.engines?.node !== first?.engines?.node, `engines: must be those of ${first?.name}`],
      [manifest.private === true, 'private: must be left out'],
      [manifest.repository?.url !== first?.repository?.url, `repository: must be that of ${first?.name}`],
      [
        manifest.repository?.directory !== manifest.name.split('/')[1],
        'repository.directory: must be its folder',
      ],
      [!manifest.license || !manifest.homepage || !manifest.bugs, 'license, homepage and bugs must be given'],
      [manifest.publishConfig?.access !== 'public', 'publishConfig.access: must be public'],
      [manifest.publishConfig?.provenance !== true, 'publishConfig.provenance: must be true'],
      [!manifest.files?.includes('CHANGELOG.md'), 'files: must contain CHANGELOG.md'],
    ]
    return wrong.flatMap(([isWrong, sentence]) => (isWrong ? [`${manifest.name}: ${sentence}`] : []))
  })
  if (!sdkVersion.includes(`'${first?.version}'`))
    problems.push(`sdk/src/version.ts: must be ${first?.version}`)
  return problems
}

/**
 * Returns the changelog's section of a version; in a dry run, that of the unreleased changes if there is none.
 * `undefined` if nothing is found.
 */
export function notesOf(changelog: string, version: string, isDryRun: boolean): string | undefined {
  const sections = changelog.split(/^(?=## \[)/m)
  const find = (name: string) => sections.find(section => section.startsWith(`## [${name}]`))
  const section = find(version) ?? (isDryRun ? find('Unreleased') : undefined)
  const notes = section?.replace(/^.*\n/, '').trim()
  return notes ? `${notes}\n` : undefined
}
