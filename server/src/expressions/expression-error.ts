/** Why an expression failed: it does not parse, does not suit the value, exceeded a limit, or the server has a bug. */
type ExpressionFault = 'syntax' | 'value' | 'limit' | 'internal'

interface Position {
  /** Line and column start at 1; columns count UTF-16 units. */
  readonly line: number
  readonly column: number
}

/**
 * Thrown when an expression cannot be parsed or evaluated. The message says what is wrong and where in the
 * template. It reaches callers and logs, so it names filters, tags, variables and limits, but never quotes data
 * or the text of the template, which may contain sensitive values.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly fault: ExpressionFault
  /** The message without the position. */
  readonly problem: string
  readonly position: Position | undefined

  constructor(fault: ExpressionFault, problem: string, position?: Position, cause?: unknown) {
    const where = position === undefined ? '' : ` (line ${position.line}, column ${position.column})`
    super(problem + where, cause === undefined ? undefined : { cause })
    this.fault = fault
    this.problem = problem
    this.position = position
  }
}

/** A syntax error at an offset of the template. `parseTemplate`, which has the text, adds line and column. */
export class SyntaxFault extends Error {
  readonly offset: number

  constructor(problem: string, offset: number) {
    super(problem)
    this.offset = offset
  }
}

export const unexpectedText = 'unexpected text from here on'

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** Returns the name in quotes if it can safely be repeated in a message, else "of that name". */
export function nameOf(name: string): string {
  return /^[\w?-]{1,64}$/.test(name) ? `"${name}"` : 'of that name'
}
