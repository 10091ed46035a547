// Only in CI: it runs cases against mutants.
// In a process of its own: it waits long for what its mutants never do.
import { reactorsMutants } from './mutants/reactors.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants(reactorsMutants)
