// Only in CI: it runs cases against mutants.
// In a process of its own: it takes long.
import tap from 'tap'
import { pagesMutants } from './mutants/pages.ts'
import { catchMutants } from './mutants.cases.ts'

// Machines that run other tests at the same time are slow.
tap.setTimeout(600_000)
tap.comment('timeout=600000')

await catchMutants(pagesMutants)
