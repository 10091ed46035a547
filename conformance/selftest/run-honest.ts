/** `npm run verify -- honest [name …]`: runs the core profile against each honest variation of our server alone. */
import { run } from '../src/run.ts'
import { contract, openReference } from './_reference.ts'
import { variations } from './honest/variations.ts'

const asked = process.argv.slice(2)
for (const [name, variation] of Object.entries(variations)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const reference = await openReference()
  const fetch = variation(reference.target.fetch)
  const target = { ...reference.target, fetch, capabilities: [] }
  // As the command runs it; a search that lags behind the writes of all cases would never be up to date.
  const made = await run(target, { contract, concurrency: name === 'a search that lags' ? 1 : 8 })
  await reference.close()
  const findings = made.results.flatMap(one =>
    one.findings
      .filter(found => found.profile === 'core')
      .map(found => `  ${one.case.id} ${found.message}\n`),
  )
  const isConformant = made.verdicts.core === 'conformant'
  process.stdout.write(`${isConformant ? 'conformant' : 'REFUSED'} ${name}\n${findings.join('')}`)
  if (!isConformant) process.exitCode = 1
}
