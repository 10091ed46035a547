// Only in CI: it runs cases against mutants.
// In a process of its own: it waits long for what its mutants never do.
import { accessMutants } from './mutants/access.ts'
import { searchMutants } from './mutants/search.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants({ ...accessMutants, ...searchMutants })
