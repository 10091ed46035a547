import { Room, type RoomParts } from '../access/room.ts'
import type { Records } from '../storage/records/records.ts'
import { type FoundFormula, findFormula } from './find.ts'

/** The code that reactors run: of each tenant, official, and shipped with the server. */
export class Formulas extends Room<RoomParts> {
  /** Returns the same room on other records. */
  on(records: Records): Formulas {
    return new Formulas({ ...this.parts, records })
  }

  /** Finds the tenant's own or an official formula. */
  find(tenant: string, id: string): Promise<FoundFormula | undefined> {
    return findFormula(this.parts, tenant, id)
  }
}
