// Only in CI: it runs cases against mutants.
import { refusalMutants } from './mutants/refusals.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants(refusalMutants)
