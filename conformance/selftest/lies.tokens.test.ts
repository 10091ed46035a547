import { catchLies } from './lies.cases.ts'

/** Lies about tokens, pages and errors. */
await catchLies(/^(DAT|TOK|TYP|EXP|IDE|PAG|ERR|WIR|LIM|TKZ)-/)
