import { OperatorError } from '../../../base/operator-error.ts'

/** The folder cannot be used as it is; the message is one sentence for the operator. */
export class DataFolderRefused extends OperatorError {
  override readonly name = 'DataFolderRefused'
}

/** The folder is damaged; a repair may make it one that can be opened. */
export class DataFolderDamaged extends DataFolderRefused {}
