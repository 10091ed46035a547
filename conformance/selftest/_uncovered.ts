import { parse } from 'yaml'
import { readPackageFile } from '../src/files.ts'

type Reasons = Readonly<Record<string, string>>

export interface Uncovered {
  /** Why a requirement, an operation or a status code has no case. */
  readonly uncovered: Reasons
  /** Why no comment in the server or the contract names a requirement. */
  readonly unnamed: Reasons
}

export function readUncovered(): Uncovered {
  const { unnamed, ...uncovered } = parse(readPackageFile('uncovered.yaml')) as Uncovered &
    Record<string, unknown>
  return { uncovered: uncovered as Reasons, unnamed }
}
