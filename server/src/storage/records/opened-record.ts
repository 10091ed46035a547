import { Plaintext } from '../../base/secret.ts'
import type { Written } from '../port.ts'

/** What every record is: JSON with an id of its own. */
export interface RecordValue {
  readonly id: string
}

/** A record as read back: its value, and what the store knows of it. */
export class OpenedRecord<T extends RecordValue> extends Plaintext implements Written {
  readonly value: T
  readonly version: number
  readonly createdUs: number
  declare readonly modifiedUs?: number

  constructor(value: T, { version, createdUs, modifiedUs }: Written) {
    super()
    this.value = value
    this.version = version
    this.createdUs = createdUs
    if (modifiedUs !== undefined) this.modifiedUs = modifiedUs
  }
}

/** As much of a record as an answer shows of it. */
export type Dated<T extends RecordValue> = Pick<OpenedRecord<T>, 'value' | 'createdUs' | 'modifiedUs'>
