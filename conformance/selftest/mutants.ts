import { accessMutants } from './mutants/access.ts'
import { fidelityMutants } from './mutants/fidelity.ts'
import { independentMutants } from './mutants/independent.ts'
import { nearMutants } from './mutants/near.ts'
import { reactorsMutants } from './mutants/reactors.ts'
import { refusalMutants } from './mutants/refusals.ts'
import { responsesMutants } from './mutants/responses.ts'
import { searchMutants } from './mutants/search.ts'
import { timeMutants } from './mutants/time.ts'
import { tokensMutants } from './mutants/tokens.ts'
import { wireMutants } from './mutants/wire.ts'
import type { Mutant } from './mutate.ts'

/** Every mutant by its name. */
export const allMutants: ReadonlyMap<string, Mutant> = new Map(
  [
    accessMutants,
    fidelityMutants,
    independentMutants,
    nearMutants,
    reactorsMutants,
    refusalMutants,
    responsesMutants,
    searchMutants,
    timeMutants,
    tokensMutants,
    wireMutants,
  ].flatMap(Object.entries),
)
