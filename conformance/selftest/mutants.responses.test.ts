// Only in CI: it runs cases against mutants.
import { responsesMutants } from './mutants/responses.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants(responsesMutants)
