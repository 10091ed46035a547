import { type Caller, demand } from '../access/caller.ts'
import { transact } from '../storage/transact.ts'
import { type TokensContext, tokensOf } from './context.ts'
import { erasure } from './erase.ts'
import { liveRecord } from './read.ts'

// Requirements: TOK-037, TOK-038, TOK-512, TOK-046, TOK-546
export async function deleteToken(context: TokensContext, caller: Caller, id: string): Promise<void> {
  const tokens = await tokensOf(context, caller)
  await transact(tokens, async () => {
    const record = await liveRecord(tokens, id)
    demand(caller, 'token:delete', record.value)
    return { writes: await erasure(tokens, record, 'token:delete', caller), result: () => {} }
  })
}
