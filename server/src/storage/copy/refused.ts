import { OperatorError } from '../../base/operator-error.ts'

/** A copy that cannot be made between these stores with these keys. One sentence. */
export class CopyRefused extends OperatorError {
  override readonly name = 'CopyRefused'
}

/** What was read back is not what the source holds. It says where, in digests, and nothing of the content. */
export class CopyDiffers extends OperatorError {
  override readonly name = 'CopyDiffers'

  constructor(what: string) {
    super(`the copy is not what its source is: ${what}; empty the destination and copy again`)
  }
}
