import type { TagToken } from 'liquidjs'
import type { JsonValue } from '../../../base/json/json.ts'
import { nameOf, SyntaxFault } from '../../expression-error.ts'
import type { Evaluate, Run } from '../../run.ts'
import { countMembers, toText } from '../../text.ts'
import { toJson, toNumber } from '../../value.ts'
import { expectEnd } from '../filtered.ts'
import { compileOperand } from '../operand.ts'
import { elseBlock } from './flow.ts'
import type { CompileTag, TagParser } from './tag.ts'
import { variableName } from './variables.ts'

/** The common part of `for` and `tablerow`. */
interface Loop {
  readonly name: string
  readonly items: Evaluate
  readonly options: ReadonlyMap<string, Evaluate>
  /** The key of the counter from which `offset: continue` reads where the last such loop ended. */
  readonly key: string
}

const forTag: CompileTag = (tag, parser) => {
  const loop = readLoop(tag, parser, ['limit', 'offset', 'reversed'])
  const { item, state, body, end } = loopBlock(tag, parser, loop)
  const otherwise = elseBlock(tag, parser, end)
  return run => {
    const all = itemsOf(loop, run)
    const items = loop.options.has('reversed') ? all.toReversed() : all
    if (items.length === 0) return otherwise?.(run)
    for (const [index, value] of items.entries()) {
      run.meter.step()
      run.frame[item] = value
      run.frame[state] = loopState(index, items.length)
      if (body(run) === 'break') break
    }
    return undefined
  }
}

/** Compiles the block of a loop, and makes slots for its variables: the item, and the state of the loop. */
function loopBlock(tag: TagToken, parser: TagParser, { name }: Loop) {
  const { scope } = parser.compiling
  const [item, state] = [scope.slot(), scope.slot()]
  const names = new Map([
    [name, item],
    [`${tag.name}loop`, state],
  ])
  const ends = tag.name === 'for' ? ['else', 'endfor'] : ['endtablerow']
  return { item, state, ...scope.within(names, () => parser.block(tag, ends)) }
}

function loopState(index0: number, length: number): JsonValue {
  return {
    length,
    index: index0 + 1,
    index0,
    rindex: length - index0,
    rindex0: length - index0 - 1,
    first: index0 === 0,
    last: index0 === length - 1,
  }
}

const tablerow: CompileTag = (tag, parser) => {
  const loop = readLoop(tag, parser, ['limit', 'offset', 'cols'])
  const { item, state, body, end } = loopBlock(tag, parser, loop)
  expectEnd(end.tokenizer)
  return run => {
    const items = itemsOf(loop, run)
    const columns = wholeOption(loop, 'cols', run) || items.length
    for (const [index, value] of items.entries()) {
      run.meter.step()
      const column = index % columns
      const row = Math.floor(index / columns) + 1
      run.frame[item] = value
      run.frame[state] = tableState(index, items.length, column, columns, row)
      if (column === 0) run.write(`${row > 1 ? '</tr>' : ''}<tr class="row${row}">`)
      run.write(`<td class="col${column + 1}">`)
      const signal = body(run)
      run.write('</td>')
      if (signal === 'break') break
    }
    if (items.length > 0) run.write('</tr>')
    return undefined
  }
}

function tableState(index: number, length: number, col0: number, columns: number, row: number): JsonValue {
  const state = { col0, col: col0 + 1, col_first: col0 === 0, col_last: col0 + 1 === columns, row }
  return Object.assign(loopState(index, length) as object, state)
}

function readLoop(tag: TagToken, { compiling }: TagParser, allowed: readonly string[]): Loop {
  const { tokenizer } = tag
  const name = variableName(tag)
  if (tokenizer.readIdentifier().getText() !== 'in') throw new SyntaxFault('"in" is missing', tokenizer.p)
  const collection = tokenizer.readValueOrThrow()
  const items = compileOperand(collection, compiling)
  const key = `${name} in ${collection.getText()}`
  const options = new Map<string, Evaluate>()
  for (const hash of tokenizer.readHashes(':')) {
    const option = hash.name.getText()
    if (!allowed.includes(option)) {
      throw new SyntaxFault(`"${tag.name}" has no option ${nameOf(option)}`, hash.begin)
    }
    if (!hash.value && option !== 'reversed') throw new SyntaxFault(`"${option}" has no value`, hash.begin)
    const continues = option === 'offset' && hash.value?.getText() === 'continue'
    if (!hash.value) options.set(option, () => true)
    else options.set(option, continues ? run => run.counter(key) ?? 0 : compileOperand(hash.value, compiling))
  }
  expectEnd(tokenizer)
  return { name, items, options, key }
}

function itemsOf(loop: Loop, run: Run): JsonValue[] {
  const all = enumerate(toJson(loop.items(run)), run)
  run.meter.elements(all.length)
  const offset = wholeOption(loop, 'offset', run)
  const limit = loop.options.has('limit') ? wholeOption(loop, 'limit', run) : all.length
  const items = all.slice(offset, offset + limit)
  run.setCounter(loop.key, offset + items.length)
  return items
}

function wholeOption({ options }: Loop, name: string, run: Run): number {
  const value = options.get(name)?.(run)
  return value === undefined ? 0 : Math.max(Math.trunc(toNumber(value)), 0)
}

/** Returns the items of a loop: a text is one item; the items of an object are its [name, value] pairs. */
function enumerate(value: JsonValue, run: Run): JsonValue[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  run.meter.step(countMembers(value, run))
  return Object.entries(value)
}

/** `{% cycle 'a', 'b' %}` writes its next value each time; `{% cycle group: … %}` counts each group separately. */
const cycle: CompileTag = (tag, { compiling }) => {
  const { tokenizer } = tag
  const start = tokenizer.p
  const first = tokenizer.readValue()
  tokenizer.skipBlank()
  const hasGroup = first !== undefined && tokenizer.peek() === ':'
  const group = hasGroup ? compileOperand(first, compiling) : undefined
  if (hasGroup) tokenizer.advance()
  else tokenizer.p = start
  const key = `cycle ${tokenizer.remaining()}`
  const values: Evaluate[] = []
  for (;;) {
    values.push(compileOperand(tokenizer.readValueOrThrow(), compiling))
    tokenizer.skipBlank()
    if (tokenizer.peek() !== ',') break
    tokenizer.advance()
  }
  expectEnd(tokenizer)
  return run => {
    const name = group ? `cycle ${toText(toJson(group(run)), run)}: ${key}` : key
    run.meter.characters(name.length)
    const turn = run.counter(name) ?? 0
    run.setCounter(name, (turn + 1) % values.length)
    const value = values[turn]?.(run) ?? null
    run.write(toText(toJson(value), run))
    return undefined
  }
}

/** Tags that loop. */
export const loopTags = { for: forTag, tablerow, cycle }
