import { OperatorError } from '../../../base/operator-error.ts'

/** Thrown for a folder that cannot be used; the message is for the operator. */
export class DataFolderRefused extends OperatorError {
  override readonly name = 'DataFolderRefused'
}

/** Thrown for a damaged folder, which a repair may fix. */
export class DataFolderDamaged extends DataFolderRefused {}
