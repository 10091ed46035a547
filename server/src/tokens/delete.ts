import { type Caller, demand } from '../access/caller.ts'
import { type TokensContext, tenantStore } from './context.ts'
import { erasure } from './erase.ts'
import { liveRecord } from './read.ts'

// Requirements: TOK-037, TOK-038, TOK-512
export async function deleteToken(context: TokensContext, caller: Caller, id: string): Promise<void> {
  const store = await tenantStore(context, caller)
  for (;;) {
    const record = await liveRecord(context, store, id)
    demand(caller, 'token:delete', record.value)
    const writes = await erasure(context, store, record, 'token:delete', caller)
    const result = await store.commit(writes, context.nowUs())
    if (result.ok) return
    // Another writer came between: look again at what is there now.
  }
}
