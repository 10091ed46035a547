import { accessMutants } from './mutants/access.ts'
import { searchMutants } from './mutants/search.ts'
import { catchMutants } from './mutants.cases.ts'

await catchMutants({ ...accessMutants, ...searchMutants })
