/** How Node shows values as text, for `console` and the module `util`. Knows nothing of the host. */

const mostItems = 100
/** Characters of an object or a list. */
const longest = 8_192

/**
 * Returns a value as text on one line, as Node would; an error without its stack. Runs getters of the formula, which
 * count towards its time limit.
 *
 * @param most nesting that is shown
 */
export function inspect(value: unknown, most: number): string {
  return show(value, most, [])
}

function show(value: unknown, most: number, within: readonly object[]): string {
  if (typeof value === 'string') return quote(value)
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return plain(value)
  if (within.includes(value)) return '[Circular *1]'
  if (within.length > most) return Array.isArray(value) ? '[Array]' : '[Object]'
  try {
    if (typeof value === 'function') return functionText(value)
    return showObject(value, member => show(member, most, [...within, value]))
  } catch {
    return '[object]'
  }
}

function functionText(value: object): string {
  const name: unknown = Object.getOwnPropertyDescriptor(value, 'name')?.value
  return `[Function${typeof name === 'string' && name !== '' ? `: ${name}` : ' (anonymous)'}]`
}

function plain(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  return Object.is(value, -0) ? '-0' : String(value)
}

function quote(text: string): string {
  const mark = ["'", '"', '`'].find(one => !text.includes(one)) ?? "'"
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark
}

type Show = (member: unknown) => string

function showObject(value: object, inner: Show): string {
  if (value instanceof Error) {
    const members = membersOf(value, inner)
    const shown = Object.keys(value)
    for (const name of ['cause', 'errors']) {
      const hidden = shown.includes(name) ? undefined : Object.getOwnPropertyDescriptor(value, name)
      if (hidden) members.push(() => `[${name}]: ${inner(hidden.value)}`)
    }
    const text = `${value.name}: ${value.message}`
    return members.length === 0 ? text : `${text} ${join('{', members, '}')}`
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof RegExp) return String(value)
  if (value instanceof Map) {
    const pairs = some(value).map(
      ([key, one]) =>
        () =>
          `${inner(key)} => ${inner(one)}`,
    )
    return `Map(${value.size}) ${join('{', pairs, '}', value.size)}`
  }
  if (value instanceof Set)
    return `Set(${value.size}) ${join('{', some(value).map(lazily(inner)), '}', value.size)}`
  if (Array.isArray(value)) return join('[', value.slice(0, mostItems).map(lazily(inner)), ']', value.length)
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const numbers = value as Uint8Array
    return `${nameOf(value)}(${numbers.length}) ${join('[', [...numbers.subarray(0, mostItems)].map(lazily(inner)), ']', numbers.length)}`
  }
  const members = membersOf(value, inner)
  const name = nameOf(value)
  return `${name === 'Object' ? '' : `${name} `}${join('{', members, '}')}`
}

const membersOf = (value: object, inner: Show): (() => string)[] =>
  Object.entries(value).map(
    ([name, member]) =>
      () =>
        `${keyOf(name)}: ${inner(member)}`,
  )

const lazily = (inner: Show) => (member: unknown) => () => inner(member)

function some<Item>(items: Iterable<Item>): Item[] {
  const taken: Item[] = []
  for (const item of items) if (taken.push(item) === mostItems) break
  return taken
}

function nameOf(value: object): string {
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null
  if (prototype === null) return '[Object: null prototype]'
  const name = prototype.constructor?.name
  return typeof name === 'string' && name !== '' ? name : 'Object'
}

const keyOf = (name: string) => (/^[a-zA-Z_]\w*$/.test(name) ? name : quote(name))

/** Joins texts that are made one after the other, until there are enough. */
function join(open: string, texts: readonly (() => string)[], close: string, count = texts.length): string {
  let [joined, made] = ['', 0]
  for (const text of texts) {
    if (joined.length > longest) break
    joined += `${made === 0 ? '' : ', '}${text()}`
    made++
  }
  const rest = count - made
  if (rest > 0) joined += `${made === 0 ? '' : ', '}... ${rest} more item${rest === 1 ? '' : 's'}`
  return joined === '' ? open + close : `${open} ${joined} ${close}`
}

/** Fills the places of a first text in, such as `%s`, and adds the other values, as Node's `util.format` does. */
export function format(values: readonly unknown[], most: number): string {
  const [first, ...rest] = values
  const others = () => rest.map(value => (typeof value === 'string' ? value : inspect(value, most)))
  if (typeof first !== 'string')
    return values.length === 0 ? '' : [inspect(first, most), ...others()].join(' ')
  if (rest.length === 0) return first
  const text = first.replace(/%[sdifjoOc%]/g, mark => {
    if (mark === '%%') return '%'
    if (rest.length === 0) return mark
    return fill(mark, rest.shift(), most)
  })
  return [text, ...others()].join(' ')
}

function fill(mark: string, value: unknown, most: number): string {
  switch (mark) {
    case '%s':
      return typeof value === 'object' && value !== null && !hasOwnText(value)
        ? inspect(value, 0)
        : typeof value === 'object'
          ? `${value}`
          : plain(value)
    case '%d':
      return typeof value === 'bigint'
        ? plain(value)
        : plain(typeof value === 'symbol' ? Number.NaN : Number(value))
    case '%i':
      return typeof value === 'bigint' ? plain(value) : plain(Number.parseInt(String(value), 10))
    case '%f':
      return plain(typeof value === 'symbol' ? Number.NaN : Number.parseFloat(String(value)))
    case '%j':
      return jsonOf(value)
    default:
      return mark === '%c' ? '' : inspect(value, most)
  }
}

/** True for an object whose class chose its text. */
function hasOwnText(value: object): boolean {
  return ![Object, Array, Error, Date, RegExp].some(({ prototype }) => prototype.toString === value.toString)
}

function jsonOf(value: unknown): string {
  try {
    return String(JSON.stringify(value))
  } catch (error) {
    if (error instanceof TypeError && /circular/i.test(error.message)) return '[Circular]'
    throw error
  }
}
