// Only in CI: it runs cases against mutants.
import { fidelityMutants } from './mutants/fidelity.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants(fidelityMutants)
