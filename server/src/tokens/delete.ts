import { type Caller, demand } from '../access/caller.ts'
import { transact } from '../storage/transact.ts'
import { type TokensContext, tenantStore } from './context.ts'
import { erasure } from './erase.ts'
import { liveRecord } from './read.ts'

// Requirements: TOK-037, TOK-038, TOK-512
export async function deleteToken(context: TokensContext, caller: Caller, id: string): Promise<void> {
  const store = await tenantStore(context, caller)
  await transact(context, async () => {
    const record = await liveRecord(context, store, id)
    demand(caller, 'token:delete', record.value)
    return { writes: await erasure(context, store, record, 'token:delete', caller), result: () => {} }
  })
}
