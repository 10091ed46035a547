import { OperatorError } from '../../../base/operator-error.ts'
import { StoreDamaged } from '../../port/port.ts'

/** Turns LevelDB's corruption errors into `StoreDamaged`. @throws {StoreDamaged} */
export function orDamaged<Result>(read: () => Result): Result {
  try {
    const result = read()
    return result instanceof Promise ? (result.catch(refuse) as Result) : result
  } catch (error) {
    return refuse(error)
  }
}

/** Returns `StoreDamaged` for a corruption error of LevelDB, and any other error unchanged. */
export function asDamaged(error: unknown): unknown {
  if ((error as { code?: unknown }).code !== 'LEVEL_CORRUPTION') return error
  return new StoreDamaged('a part of the data folder is damaged', { cause: error })
}

function refuse(error: unknown): never {
  throw asDamaged(error)
}

/** Thrown for a folder that cannot be used; the message is for the operator. */
export class DataFolderRefused extends OperatorError {
  override readonly name = 'DataFolderRefused'
}

/** Thrown for a damaged folder, which a repair may fix. */
export class DataFolderDamaged extends DataFolderRefused {}
