/** Checks that every package of the lockfile declares support for every supported version of Node. */
import { readFileSync } from 'node:fs'
import semver from 'semver'

const supported = ['20.19.0', '22.12.0', '24.0.0', '26.0.0']

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
const refusals = Object.entries(packages).flatMap(([path, { version, engines }]) => {
  const refused = supported.filter(node => engines?.node && !semver.satisfies(node, engines.node))
  return refused.length === 0
    ? []
    : [`${path} ${version} needs Node ${engines.node}, not ${refused.join(', ')}\n`]
})
process.stdout.write(refusals.join(''))
process.exitCode = refusals.length === 0 ? 0 : 1
