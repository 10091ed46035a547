// Only in CI: it runs cases against mutants.
import { tracesMutants } from './mutants/traces.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants(tracesMutants)
