import { JsonError, type JsonValue, parseJson } from '../../base/json/json.ts'
import { SyntaxFault } from '../expression-error.ts'
import type { Run } from '../run.ts'
import { type FilterFamily, unsuitable } from './filter.ts'
import { follow, type PathStep, parsePath } from './json-path.ts'

const longestPath = 1_000

export const jsonFilters: FilterFamily = {
  /**
   * Returns the value that a JSONPath finds in an object or list, or in text that is JSON, with its type; null if
   * it finds none. More than one is an error, since a mask or an id has room for one.
   * @example {{ data | json: '$.books[?(@.price < 10)].title' }} → Moby Dick
   */
  json: {
    takes: [1, 1],
    apply: (input, [path], run) => {
      if (input === null) return null
      if (typeof path !== 'string' || path.length > longestPath) {
        throw unsuitable(`takes a JSONPath of at most ${longestPath} characters`)
      }
      const [found, second] = follow(parsed(input, run), stepsOf(path), () => run.meter.step())
      if (second === undefined) return found ?? null
      throw unsuitable('finds more than one value; make the path select one')
    },
  },
}

function stepsOf(path: string): PathStep[] {
  try {
    return parsePath(path)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    throw unsuitable(`takes a JSONPath; this one is not valid at character ${error.offset + 1}`)
  }
}

function parsed(input: JsonValue, run: Run): JsonValue {
  if (typeof input !== 'string') return input
  // Parsing is about eight times as slow as copying.
  run.meter.characters(input.length * 8)
  try {
    return parseJson(input)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw unsuitable('takes an object or list, or text that is JSON')
  }
}
