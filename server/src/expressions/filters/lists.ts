import { isJsonObject, type JsonValue } from '../../base/json.ts'
import { compare, equals } from '../comparing.ts'
import { countMembers, member } from '../members.ts'
import type { Run } from '../run.ts'
import { countCharacters, sliceCharacters, toText } from '../text.ts'
import { isTruthy, toJson, toList, toNumber } from '../value.ts'
import type { Filter, FilterFamily } from './filter.ts'

/** Reads `a.b` of an element, or the element itself where no property is named. */
function property(path: JsonValue | undefined, run: Run): (element: JsonValue) => JsonValue {
  const names = path === undefined || path === null ? [] : toText(path, run).split('.')
  return element => {
    run.meter.step(1 + names.length)
    return names.reduce<JsonValue>((value, name) => toJson(member(value, name, run)), element)
  }
}

/** Whether an element has the property, or has it with this value. */
function selects([path, expected]: readonly JsonValue[], run: Run): (element: JsonValue) => boolean {
  const read = property(path, run)
  return element => (expected === undefined ? isTruthy(read(element)) : equals(read(element), expected, run))
}

/** Elements in order of a property; those without it come last, and what has no order stays where it is. */
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

/** The sum in the order of the list; what is no number counts as 0. */
function sum(input: JsonValue, [path]: readonly JsonValue[], run: Run): number {
  const read = property(path, run)
  let total = 0
  for (const element of toList(input)) total += toNumber(read(element))
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

/** Texts and numbers that are equal, and the very same objects, are one. */
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

function concat(input: JsonValue, [more]: readonly JsonValue[]): JsonValue {
  return [...toList(input), ...toList(more ?? null)]
}

function ofList(takes: Filter['takes'], apply: Filter['apply']): Filter {
  return { takes, apply }
}

/** The list filters of Liquid; one value is a list of itself. */
export const listFilters: FilterFamily = {
  size: ofList([0, 0], size),
  first: ofList([0, 0], (input, _, run) => edge(input, run, 0)),
  last: ofList([0, 0], (input, _, run) => edge(input, run, -1)),
  join: ofList([0, 1], join),
  reverse: ofList([0, 0], input => toList(input).toReversed()),
  concat: ofList([1, 1], concat),
  compact: ofList([0, 1], (input, [path], run) => {
    const read = property(path, run)
    return toList(input).filter(element => read(element) !== null)
  }),
  uniq: ofList([0, 1], unique),
  map: ofList([1, 1], (input, [path], run) => toList(input).map(property(path, run))),
  where: ofList([1, 2], (input, args, run) => toList(input).filter(selects(args, run))),
  reject: ofList([1, 2], (input, args, run) => {
    const selected = selects(args, run)
    return toList(input).filter(element => !selected(element))
  }),
  find: ofList([1, 2], (input, args, run) => toList(input).find(selects(args, run)) ?? null),
  find_index: ofList([1, 2], (input, args, run) => {
    const index = toList(input).findIndex(selects(args, run))
    return index < 0 ? null : index
  }),
  has: ofList([1, 2], (input, args, run) => toList(input).some(selects(args, run))),
  sum: ofList([0, 1], sum),
  sort: ofList([0, 1], (input, [path], run) => sorted(input, path, run, key => key)),
  sort_natural: ofList([0, 1], (input, [path], run) =>
    sorted(input, path, run, key => (key === null ? null : toText(key, run).toLowerCase())),
  ),
}

/** The first or last element of a list, or character of a text. */
function edge(input: JsonValue, run: Run, index: 0 | -1): JsonValue {
  if (typeof input !== 'string') return Array.isArray(input) ? (input.at(index) ?? null) : null
  return index === 0 ? sliceCharacters(input, run, 0, 1) : sliceCharacters(input, run, -1)
}
