import { catchLies } from './lies.cases.ts'

/** Lies about access, applications, sessions and searches. */
await catchLies(/^(ACC|APP|AUT|SES|SEA|LOG)-/)
