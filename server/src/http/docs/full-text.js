import { lookup } from './contract.js'

/** Members of a schema or operation whose texts and names people search for. */
const skipped = ['$ref', 'operationId', 'examples', 'pattern', 'security']

/** Returns all texts of an operation and of what it refers to, in lower case: names, descriptions, values, statuses. */
export function fullText(operation) {
  const seen = new Set()
  const words = []
  const walk = thing => {
    if (typeof thing === 'string') words.push(thing)
    if (typeof thing !== 'object' || thing === null || seen.has(thing)) return
    seen.add(thing)
    if (typeof thing.$ref === 'string') walk(lookup(thing.$ref))
    for (const [name, part] of Object.entries(thing)) {
      if (skipped.includes(name)) continue
      if (!Array.isArray(thing)) words.push(name)
      walk(part)
    }
  }
  walk(operation)
  return words.join(' ').toLowerCase()
}
