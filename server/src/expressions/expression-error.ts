/**
 * Why an expression gave nothing: it does not parse, it does not fit this value, it went past a limit, or we
 * are at fault.
 */
export type ExpressionFault = 'syntax' | 'value' | 'limit' | 'internal'

export interface Position {
  /** Both count from 1, in characters of the template. */
  readonly line: number
  readonly column: number
}

/**
 * An expression that cannot be read or evaluated. The message says what is wrong and where in the template.
 * It reaches callers and logs, so it names filters, tags, variables and limits, and never quotes data, nor
 * text of the template: beside its expressions a template may hold values in the clear.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly fault: ExpressionFault
  /** Without the position. */
  readonly problem: string
  readonly position: Position | undefined

  constructor(fault: ExpressionFault, problem: string, position?: Position, cause?: unknown) {
    const place = position === undefined ? '' : ` (line ${position.line}, column ${position.column})`
    super(problem + place, cause === undefined ? undefined : { cause })
    this.fault = fault
    this.problem = problem
    this.position = position
  }
}

/** A template that cannot be read, at this offset of its text. Whoever holds the text adds line and column. */
export class SyntaxFault extends Error {
  readonly offset: number

  constructor(problem: string, offset: number) {
    super(problem)
    this.offset = offset
  }
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** A name out of a template, if it is plain enough to be repeated in a message. */
export function nameOf(name: string): string {
  return /^[\w?-]{1,64}$/.test(name) ? `"${name}"` : 'of that name'
}
