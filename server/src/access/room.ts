import type { Random } from '../base/random.ts'
import type { Clock } from '../base/time/clock.ts'
import { StoreEmptied } from '../storage/port/port.ts'
import type { Records, TenantRecords } from '../storage/records/records.ts'
import type { Caller } from './caller.ts'

/** What most rooms work with. */
export interface RoomParts {
  readonly records: Records
  readonly random: Random
  readonly clock: Pick<Clock, 'nowUs'>
}

/** A room, as a request of a caller works in it. Small, as each request makes one. */
export class Scope<Parts extends RoomParts> {
  readonly parts: Parts
  readonly store: TenantRecords
  readonly caller: Caller

  /** @throws {StoreEmptied} if the tenant of the caller, which was there when its key was read, is gone */
  constructor(parts: Parts, caller: Caller) {
    const store = parts.records.opened(caller.tenant)
    if (!store) throw new StoreEmptied('the tenant was removed during a request')
    this.parts = parts
    this.store = store
    this.caller = caller
  }

  nowUs(): number {
    return this.parts.clock.nowUs()
  }
}

/** The class of a room. Its verbs are functions, a file each, that take its parts, or what `of` returns. */
export class Room<Parts extends RoomParts> {
  readonly parts: Parts

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** @throws {StoreEmptied} */
  of(caller: Caller): Scope<Parts> {
    return new Scope(this.parts, caller)
  }
}
