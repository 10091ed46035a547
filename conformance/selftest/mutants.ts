import { accessMutants } from './mutants/access.ts'
import { reactorsMutants } from './mutants/reactors.ts'
import { searchMutants } from './mutants/search.ts'
import { tokensMutants } from './mutants/tokens.ts'
import { wireMutants } from './mutants/wire.ts'
import type { Mutant } from './mutate.ts'

/** Every mutant by its name. */
export const allMutants: ReadonlyMap<string, Mutant> = new Map(
  [accessMutants, reactorsMutants, searchMutants, tokensMutants, wireMutants].flatMap(Object.entries),
)
