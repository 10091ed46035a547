import { reactorsMutants } from './mutants/reactors.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants(reactorsMutants)
