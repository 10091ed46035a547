/**
 * An error that the operator can correct. Its message is one sentence that says how, in terms of options of
 * `createVault`. The program prints it, or `program` where its flags and variables are meant, and ends with exit code 2.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
  readonly program?: string

  constructor(message: string, { program, ...options }: ErrorOptions & { readonly program?: string } = {}) {
    super(message, options)
    if (program !== undefined) this.program = program
  }
}
