import { OperatorError } from '../../../base/operator-error.ts'
import { StoreDamaged, StoreUnavailable } from '../../port/port.ts'

/** Runs work, and turns errors of LevelDB into those of the port. @throws {StoreDamaged | StoreUnavailable} */
export function orUnavailable<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    const working = work()
    return working instanceof Promise ? working.catch(refuse) : Promise.resolve(working)
  } catch (error) {
    return Promise.reject(asStoreError(error))
  }
}

function refuse(error: unknown): never {
  throw asStoreError(error)
}

/** Returns the error of the port for one of LevelDB. Others are bugs, and returned unchanged. */
function asStoreError(error: unknown): unknown {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string' || !code.startsWith('LEVEL_')) return error
  return code === 'LEVEL_CORRUPTION'
    ? new StoreDamaged('a part of the data folder is damaged', { cause: error })
    : new StoreUnavailable('the store cannot answer at the moment', { cause: error })
}

/** Returns why the folder cannot be written to. */
export function reasonOf(error: unknown): string {
  let text = ''
  for (let at = error; at instanceof Error; at = at.cause) text += `${at.message}\n`
  if (/no space left|disk quota/i.test(text)) return 'the disk is full'
  if (/corruption/i.test(text)) {
    return 'the data folder is damaged: stop the server and run surrogate-server reindex'
  }
  return 'a write to the data folder failed'
}

/** Thrown for a folder that cannot be used; the message is for the operator. */
export class DataFolderRefused extends OperatorError {
  override readonly name = 'DataFolderRefused'
}

/** Thrown for a damaged folder, which a repair may fix. */
export class DataFolderDamaged extends DataFolderRefused {}
