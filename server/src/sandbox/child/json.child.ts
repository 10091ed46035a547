/** What a formula answers with cannot be sent as JSON; the message says where and why. */
export class NotJson extends Error {
  readonly reason: 'shape' | 'output'

  constructor(reason: 'shape' | 'output', message: string) {
    super(message)
    this.reason = reason
  }
}

const deepest = 64
const mostMembers = 100_000
/** The rule of `base/member-path.ts`, which is not part of this program. */
const plainName = /^(?=.{1,100}$)(?:[A-Za-z_$][\w$-]*|\d{1,4})$/

/** JSON.stringify would make `{}` of them, whatever they hold. */
const emptied = [Map, Set, Promise]

/** The primitive in an object like `new Number(1)`, which JSON.stringify would take out behind the replacer. */
function unboxed(member: unknown): unknown {
  if (member instanceof Number) return Number(member)
  if (member instanceof String) return String(member)
  return member
}

/**
 * JSON text, or a refusal before the text is built: a value that JSON has not, too deep, too many members, or
 * longer than the limit. Members that are `undefined` are left out, `toJSON` is asked, and -0 is 0, as JSON.stringify does.
 * @throws {NotJson} and whatever the value's own getters throw
 */
// Requirements: INV-510, INV-521
export function toJson(value: unknown, limit: number, name: string): string {
  let length = 0
  let members = 0
  const holders: unknown[] = []
  const names: string[] = []

  const where = () => [name, ...names.slice(1)].map(step => (plainName.test(step) ? step : '?')).join('.')
  const refuse = (what: string): never => {
    throw new NotJson('shape', `${where()} ${what}, which JSON has not`)
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
    // The value itself is not one of them.
    if (members++ > mostMembers) {
      throw new NotJson('shape', `${name} has more than ${mostMembers} members and elements`)
    }
    if (key === '__proto__') {
      throw new NotJson('shape', `${where()} could not come back as it is; give the member another name`)
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
        const kind = emptied.find(one => value instanceof one)
        if (kind) return refuse(`is a ${kind.name}`)
        if (holders.includes(value)) return refuse('refers back to what it is in')
        if (holders.length > deepest) {
          throw new NotJson('shape', `${name} is nested deeper than ${deepest} levels`)
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
  if (text === undefined) throw new NotJson('shape', `${name} is undefined, which JSON has not`)
  return text
}
