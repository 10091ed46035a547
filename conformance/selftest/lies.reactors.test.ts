import { catchLies } from './lies.cases.ts'

/** Lies about formulas, reactors and invocations. */
await catchLies(/^(FOR|REA|INV)-/)
