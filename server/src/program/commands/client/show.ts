import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json/json.ts'

/** The width of a table where no terminal has one. */
const usualColumns = 120

/** Values come from callers: what a terminal would obey is escaped. */
const controls = /[\p{Cc}\p{Cf}\u2028\u2029]/gu
export const escaped = (text: string): string =>
  text.replace(controls, control => `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)

/** Returns a response as JSON. */
export function showJson(body: JsonValue | undefined): string {
  if (body === undefined) return ''
  // Line ends are those between members: in values they are escaped.
  return `${JSON.stringify(body, null, 2).split('\n').map(escaped).join('\n')}\n`
}

/** Returns a response for people: a list as a table, anything else with one line for each member. */
export function showTable(body: JsonValue | undefined, columns = usualColumns): string {
  if (body === undefined) return ''
  if (!isJsonObject(body)) return `${cell(body)}\n`
  if (!Array.isArray(body.data) || !isJsonObject(body.pagination)) return membersOf(body)
  const { total_items: total, page_number: page, total_pages: pages } = body.pagination
  const rows = body.data.filter(isJsonObject)
  return `${tableOf(rows, columns)}${cell(total)} in all, page ${cell(page)} of ${cell(pages)}\n`
}

/** Members of other objects are named by their path, such as `data.number`. */
function membersOf(body: JsonObject): string {
  const lines = flat(body)
  const width = Math.max(0, ...lines.map(([name]) => name.length))
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('')
}

function flat(value: JsonObject, path = ''): [name: string, value: string][] {
  return Object.entries(value).flatMap(([name, member]) => {
    const own = `${path}${escaped(name)}`
    return isJsonObject(member) ? flat(member, `${own}.`) : [[own, cell(member)]]
  })
}

/** A table of the members that are no objects and differ between rows, as many as fit into the width. */
function tableOf(rows: readonly JsonObject[], columns: number): string {
  const [first] = rows
  if (!first) return ''
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))].filter(name => {
    const values = rows.map(row => row[name])
    return !values.some(isJsonObject) && (rows.length === 1 || new Set(values.map(cell)).size > 1)
  })
  const shown: { readonly name: string; readonly width: number }[] = []
  let left = columns
  for (const name of names) {
    const width = Math.max(name.length, ...rows.map(row => cell(row[name]).length))
    if (width + 2 > left) continue
    left -= width + 2
    shown.push({ name, width })
  }
  const line = (values: readonly string[]) =>
    `${values
      .map((value, at) => value.padEnd(shown[at]?.width ?? 0))
      .join('  ')
      .trimEnd()}\n`
  return [
    line(shown.map(({ name }) => name)),
    ...rows.map(row => line(shown.map(({ name }) => cell(row[name])))),
  ].join('')
}

function cell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return escaped(value)
  if (Array.isArray(value) && value.every(one => typeof one === 'string'))
    return value.map(escaped).join(', ')
  return escaped(JSON.stringify(value))
}
