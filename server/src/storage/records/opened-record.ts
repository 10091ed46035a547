import { Plaintext } from '../../base/secret.ts'
import type { Written } from '../port/port.ts'

/** The value of any record: JSON with an id. */
export interface RecordValue {
  readonly id: string
}

/** A decrypted record: its value, version and times. Not printable. */
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

/** The parts of a record that responses show. */
export type Dated<T extends RecordValue> = Pick<OpenedRecord<T>, 'value' | 'createdUs' | 'modifiedUs'>
