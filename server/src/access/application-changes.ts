import { entriesOf } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { Dialect } from '../contract/dialect.ts'
import type { Application } from '../contract/types.ts'
import type { Write } from '../storage/port/port.ts'
import type { Attempt } from '../storage/port/transact.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import { type ApplicationRecord, showApplication } from './application.ts'
import type { KeyStores } from './keys.ts'
import type { RoomParts } from './room.ts'

export interface ApplicationParts extends RoomParts {
  readonly dialect: Dialect | undefined
  readonly sessions: {
    /** Ends those that an application created or authorized. @param actor the application that deleted it, if one did */
    endOf(store: TenantRecords, application: string, actor: string | null): Promise<void>
  }
}

export const applicationEntry = entriesOf('application')

/** @throws {ServiceError} not_found */
export async function storesOf({ records, clock }: ApplicationParts, tenant: string): Promise<KeyStores> {
  const root = await records.root(clock.nowUs())
  const store = await records.tenant(tenant)
  return { root, store: store ?? notFound() }
}

/** @throws {ServiceError} not_found */
// Requirements: ERR-512
export async function existing(store: TenantRecords, id: string): Promise<OpenedRecord<ApplicationRecord>> {
  return (await store.get<ApplicationRecord>('application', id)) ?? notFound()
}

/** Returns the attempt to replace an application. @param others writes that belong to the change */
export function replacement(
  parts: ApplicationParts,
  store: TenantRecords,
  { version }: OpenedRecord<ApplicationRecord>,
  value: ApplicationRecord & { readonly modified_by: string },
  operation: string,
  others: readonly Write[] = [],
): Attempt<Application, never> {
  const write = store.replace('application', version, value)
  return {
    writes: [write, ...others, applicationEntry(parts, store, operation, value.id, value.modified_by)],
    result: written => showApplication(store.tenant, { value, ...written(write) }),
    onConflict: conflict => {
      if (conflict.write > 0) throw new Error('the key of an application cannot be changed')
    },
  }
}

function notFound(): never {
  throw new ServiceError('not_found', 'there is no application with this id')
}
