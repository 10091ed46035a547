// Only in CI: it runs cases against mutants.
import { nearMutants } from './mutants/near.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants(nearMutants)
