import { isJsonObject, type JsonValue } from '../../base/json/json.ts'
import { compare, equals } from '../comparing.ts'
import type { Run } from '../run.ts'
import { countCharacters, countMembers, member, sliceCharacters, toText } from '../text.ts'
import { isTruthy, toList, toNumber } from '../value.ts'
import type { Filter, FilterFamily } from './filter.ts'
import { add } from './math.ts'

/** Returns a function that reads `a.b` of an element, or the element itself if no property is given. */
function property(path: JsonValue | undefined, run: Run): (element: JsonValue) => JsonValue {
  const names = path === undefined || path === null ? [] : toText(path, run).split('.')
  return element => {
    run.meter.step(1 + names.length)
    return names.reduce<JsonValue>((value, name) => member(value, name, run), element)
  }
}

/** Sorts elements by a property. Those without it come last; values without an order keep their places. */
function sorted(
  input: JsonValue,
  path: JsonValue | undefined,
  run: Run,
  keyOf: (value: JsonValue) => JsonValue,
): JsonValue {
  const read = property(path, run)
  const keyed = toList(input).map(element => ({ element, key: keyOf(read(element)) }))
  keyed.sort((left, right) => {
    run.meter.step()
    if (left.key === null || right.key === null) return Number(left.key === null) - Number(right.key === null)
    return compare(left.key, right.key, run) || 0
  })
  return keyed.map(({ element }) => element)
}

/** Adds up elements; those that are not numbers count as 0. */
function sum(input: JsonValue, [path]: readonly JsonValue[], run: Run): number {
  const read = property(path, run)
  let total = 0
  for (const element of toList(input)) {
    run.meter.step()
    total = add(total, toNumber(read(element)))
  }
  return Number.isFinite(total) ? total : 0
}

function join(input: JsonValue, [between]: readonly JsonValue[], run: Run): string {
  const separator = toText(between ?? ' ', run)
  let text = ''
  for (const [index, element] of toList(input).entries()) {
    const next = (index === 0 ? '' : separator) + toText(element, run)
    run.meter.step()
    run.meter.characters(next.length)
    run.meter.text(text.length + next.length)
    text += next
  }
  return text
}

/** Removes duplicates: equal texts and numbers, and identical objects. */
function unique(input: JsonValue, [path]: readonly JsonValue[], run: Run): JsonValue {
  const read = property(path, run)
  const seen = new Map<JsonValue, JsonValue>()
  for (const element of toList(input)) {
    const key = read(element)
    if (typeof key === 'string') run.meter.characters(key.length)
    if (!seen.has(key)) seen.set(key, element)
  }
  return [...seen.values()]
}

function size(input: JsonValue, _: readonly JsonValue[], run: Run): number {
  if (typeof input === 'string') return countCharacters(input, run)
  if (Array.isArray(input)) return input.length
  return isJsonObject(input) ? countMembers(input, run) : 0
}

/** Returns the first or last element of a list, or character of a text. */
function edge(input: JsonValue, run: Run, index: 0 | -1): JsonValue {
  if (typeof input !== 'string') return Array.isArray(input) ? (input.at(index) ?? null) : null
  return sliceCharacters(input, run, index, index === 0 ? 1 : undefined)
}

/** A filter that looks for elements with a property, or with one of this value. */
function selecting(
  result: (elements: JsonValue[], isSelected: (element: JsonValue) => boolean) => JsonValue,
): Filter {
  return {
    takes: [1, 2],
    apply: (input, [path, expected], run) => {
      const read = property(path, run)
      return result(toList(input), element =>
        expected === undefined ? isTruthy(read(element)) : equals(read(element), expected, run),
      )
    },
  }
}

/** The list filters of Liquid. They treat a single value as a list of one. */
export const listFilters: FilterFamily = {
  size: { takes: [0, 0], apply: size },
  first: { takes: [0, 0], apply: (input, _, run) => edge(input, run, 0) },
  last: { takes: [0, 0], apply: (input, _, run) => edge(input, run, -1) },
  join: { takes: [0, 1], apply: join },
  reverse: { takes: [0, 0], apply: input => toList(input).toReversed() },
  concat: { takes: [1, 1], apply: (input, [more = null]) => [...toList(input), ...toList(more)] },
  compact: {
    takes: [0, 1],
    apply: (input, [path], run) => {
      const read = property(path, run)
      return toList(input).filter(element => read(element) !== null)
    },
  },
  uniq: { takes: [0, 1], apply: unique },
  map: { takes: [1, 1], apply: (input, [path], run) => toList(input).map(property(path, run)) },
  where: selecting((elements, isSelected) => elements.filter(isSelected)),
  reject: selecting((elements, isSelected) => elements.filter(element => !isSelected(element))),
  find: selecting((elements, isSelected) => elements.find(isSelected) ?? null),
  has: selecting((elements, isSelected) => elements.some(isSelected)),
  find_index: selecting((elements, isSelected) => {
    const index = elements.findIndex(isSelected)
    return index < 0 ? null : index
  }),
  sum: { takes: [0, 1], apply: sum },
  sort: { takes: [0, 1], apply: (input, [path], run) => sorted(input, path, run, key => key) },
  sort_natural: {
    takes: [0, 1],
    apply: (input, [path], run) =>
      sorted(input, path, run, key => (key === null ? null : toText(key, run).toLowerCase())),
  },
}
