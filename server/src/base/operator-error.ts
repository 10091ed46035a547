/**
 * An error that the operator can correct. Its message is one sentence that says how; the program prints it and ends
 * with exit code 2.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}
