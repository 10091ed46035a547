import { limits } from '../../generated/facts.ts'

/** The answer of a formula cannot be written as JSON. The message says where and why. */
export class NotJson extends Error {
  readonly reason: 'shape' | 'output'

  constructor(reason: 'shape' | 'output', message: string) {
    super(message)
    this.reason = reason
  }
}

/** The rule of `base/member-path.ts`, which is not part of this program. */
const plainName = /^(?=.{1,100}$)(?:[A-Za-z_$][\w$-]*|\d{1,4})$/

/** Returns the primitive of an object such as `new Number(1)`, which JSON.stringify unwraps only after the replacer. */
function unboxed(member: unknown): unknown {
  if (member instanceof Number) return Number(member)
  if (member instanceof String) return String(member)
  return member instanceof Boolean ? member.valueOf() : member
}

/** Captured at the start, since globals could be changed later. */
const { prototype: plain, getPrototypeOf } = Object
const { toString: tagOf } = plain

/**
 * Returns the name of the class of an object that is neither plain nor a list: JSON.stringify would write a part of it, or
 * `{}`, whatever it contains.
 */
function classOf(value: object): string | undefined {
  if (Array.isArray(value)) return undefined
  const prototype = getPrototypeOf(value)
  if (prototype === plain || prototype === null) return undefined
  // Of the language's own classes, whose constructors may be replaced here.
  const tag = tagOf.call(value).slice(8, -1).replace(' ', '')
  // The bundler puts an underscore before names that are those of globals, too.
  const name = tag === 'Object' ? `${prototype.constructor?.name}`.replace(/^_/, '') : tag
  return plainName.test(name) ? name : 'class'
}

/**
 * Returns JSON text. Before building it, refuses values that JSON cannot represent, too deep nesting, too many
 * members and too long output. Objects are plain or have `toJSON`. As with JSON.stringify, members that are `undefined`
 * are left out, and -0 becomes 0.
 * @throws {NotJson} and any error of the value's getters
 */
// Requirements: INV-510, INV-521
export function toJson(value: unknown, limit: number, name: string): string {
  let length = 0
  let members = 0
  const holders: unknown[] = []
  const names: string[] = []

  const where = () => [name, ...names.slice(1)].map(step => (plainName.test(step) ? step : '?')).join('.')
  const refuse = (what: string): never => {
    throw new NotJson('shape', `${where()} ${what}, which JSON cannot represent`)
  }
  const count = (amount: number) => {
    length += amount
    if (length > limit) throw new NotJson('output', 'the output is too long')
  }

  function replacer(this: unknown, key: string, member: unknown): unknown {
    while (holders.length > 0 && holders[holders.length - 1] !== this) {
      holders.pop()
      names.pop()
    }
    if (holders.length === 0) holders.push(this)
    names[holders.length - 1] = key
    names.length = holders.length
    count(key.length + 1)
    // The root itself is not counted.
    if (members++ > limits.jsonMembers) {
      throw new NotJson('shape', `${name} has more than ${limits.jsonMembers} members and elements`)
    }
    if (key === '__proto__') {
      throw new NotJson('shape', `${where()} is not allowed; give the member another name`)
    }
    const value = unboxed(member)
    switch (typeof value) {
      case 'string':
        count(value.length)
        return value
      case 'number':
        return Number.isFinite(value) ? value : refuse('is not a finite number')
      case 'bigint':
        return refuse('is a BigInt')
      case 'function':
        return refuse('is a function')
      case 'symbol':
        return refuse('is a symbol')
      case 'undefined':
        return Array.isArray(this) ? refuse('is undefined') : undefined
      case 'object': {
        if (value === null) return value
        const kind = classOf(value)
        if (kind !== undefined) return refuse(`is ${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind} object`)
        if (holders.includes(value)) return refuse('is a circular reference')
        if (holders.length > limits.jsonDepth) {
          throw new NotJson('shape', `${name} is nested deeper than ${limits.jsonDepth} levels`)
        }
        holders.push(value)
        names.push('')
        return value
      }
      default:
        return value
    }
  }

  const text = JSON.stringify(value, replacer)
  if (text === undefined) throw new NotJson('shape', `${name} is undefined, which JSON cannot represent`)
  return text
}
