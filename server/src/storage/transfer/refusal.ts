import { OperatorError } from '../../base/operator-error.ts'

/** Thrown where these stores cannot be copied with these keys. */
export class CopyRefused extends OperatorError {
  override readonly name = 'CopyRefused'
}

/** Thrown where the copy differs from its source. The message tells where, in digests, and nothing of the content. */
export class CopyDiffers extends OperatorError {
  override readonly name = 'CopyDiffers'

  constructor(what: string) {
    super(`the copy differs from its source: ${what}; empty the destination and copy again`)
  }
}

/** A file that is not a whole backup, or not one of this master key; or a backup that cannot be made. */
export class BackupRefused extends OperatorError {
  override readonly name = 'BackupRefused'
}
