import { OperatorError } from '../base/operator-error.ts'

/** Thrown where Node may not make code of texts, which validators are. */
export class CodeGenerationForbidden extends OperatorError {
  override readonly name = 'CodeGenerationForbidden'
}

/** @throws {CodeGenerationForbidden} */
export function requireCodeGeneration(): void {
  try {
    new Function('')
  } catch {
    throw new CodeGenerationForbidden(
      'Node runs with --disallow-code-generation-from-strings, which validators need; remove it from NODE_OPTIONS or the command line',
    )
  }
}
