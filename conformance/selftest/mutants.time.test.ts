// Only in CI: it runs cases against mutants.
import { timeMutants } from './mutants/time.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants(timeMutants)
