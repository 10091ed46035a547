// Only in CI: it runs cases against mutants.
// In a process of its own: it waits long for what its mutants never do.
import { tokensMutants } from './mutants/tokens.ts'
import { wireMutants } from './mutants/wire.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants({ ...tokensMutants, ...wireMutants })
