import { OperatorError } from '../../base/operator-error.ts'

/** A file that is not a whole backup, or not one of this master key; or a backup that cannot be made. */
export class BackupRefused extends OperatorError {
  override readonly name = 'BackupRefused'
}
