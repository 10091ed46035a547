/** The process of the attackers, apart from those of the server and of who watches it. Ends with its parent. */
import { once } from 'node:events'
import { attacks, type Victim } from './attacks.ts'

process.once('disconnect', () => process.exit())
const [{ victim, names }] = (await once(process, 'message')) as [
  { readonly victim: Victim; readonly names: readonly string[] },
]
for (const name of names) void attacks[name]?.(victim)
