import { type Thrown, thrownLimits } from '../protocol/messages.ts'

declare const getStackString: ((error: unknown) => string) | undefined

interface Frame {
  /** The function; empty if it has no name. */
  readonly name: string
  readonly line: number
  readonly column: number
}

/** The function around the code of a formula starts two lines earlier. */
const linesBefore = 2
/** Other code of the process has names, such as `client.js`. */
const frame = /^\s*at (?:(.{1,1000}?) \()?(?:.*, )?<anonymous>:(\d{1,7}):(\d{1,7})\)?$/gm
const longestStack = 20_000

/** Returns the calls in the code of a formula that led to an error, the innermost first. */
export function framesOf(error: unknown): Frame[] {
  try {
    if (!(error instanceof Error) || typeof getStackString !== 'function') return []
    const found = [...getStackString(error).slice(0, longestStack).matchAll(frame)]
    return (
      found
        .map(([, name = '', line, column]) => ({
          // So V8 names a function without a name in compiled code.
          name: name === 'eval' ? '' : name,
          line: Number(line) - linesBefore,
          column: Number(column),
        }))
        // Frames of `eval` count lines of another text.
        .filter(({ name, line }) => line >= 1 && name !== 'Object.eval')
    )
  } catch {
    return []
  }
}

/** Returns the text of a thrown value. Runs getters of the formula, which count towards its time limit. */
function messageOf(error: unknown): string {
  try {
    const text =
      error instanceof Error
        ? `${error.message}`
        : typeof error === 'object'
          ? JSON.stringify(error)
          : `${error}`
    return `${text}`.slice(0, thrownLimits.message)
  } catch {
    return ''
  }
}

/** Describes a thrown value in the words of the formula. */
export function thrownOf(error: unknown): Thrown {
  const stack = framesOf(error)
    .slice(0, thrownLimits.lines)
    .map(({ name, line, column }) => {
      const place = `formula.js:${line}:${column}`
      return `at ${name === '' ? place : `${name.slice(0, 100)} (${place})`}`
    })
  return { message: messageOf(error), stack }
}
