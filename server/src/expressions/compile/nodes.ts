import type { Evaluate, Node } from '../run.ts'
import { toText } from '../text.ts'
import { toJson } from '../value.ts'

/** Runs parts of a template in order, up to a `break` or `continue`. */
export function sequence(nodes: readonly Node[]): Node {
  return run => {
    for (const node of nodes) {
      run.meter.step()
      const signal = node(run)
      if (signal !== undefined) return signal
    }
    return undefined
  }
}

/** Writes the value of the output at this offset of the template. */
export function output(value: Evaluate, offset: number): Node {
  return run => {
    run.at = offset
    run.write(toText(toJson(value(run)), run))
    return undefined
  }
}

/** Writes text between tags. */
export function literal(text: string): Node {
  return run => {
    run.write(text)
    return undefined
  }
}
