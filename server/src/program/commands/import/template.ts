import {
  isJsonObject,
  JsonError,
  type JsonObject,
  type JsonValue,
  mapLeaves,
  parseJson,
} from '../../../base/json/json.ts'
import { ConfigError } from '../../config-error.ts'
import type { Misfit } from './lines.ts'

/** Makes the request for a token from the fields of a row, or says which column does not fit. */
export type Template = (
  row: ReadonlyMap<string, string>,
) => { readonly body: JsonValue } | { readonly misfit: Misfit }

const kinds: readonly JsonValue[] = ['string', 'number', 'boolean']

/**
 * Parses a template: a request for a token in which `{"$column": "pan"}` stands for a field of a row, and
 * `{"$column": "month", "as": "number"}` for a number or boolean. A member whose field is empty is left out.
 * @throws {ConfigError}
 */
export function parseTemplate(text: string, columns: readonly string[]): Template {
  const template = parsed(text)
  let isUsed = false
  replaceColumns(template, (name, as, others) => {
    // Without the first line of the file: if it names no columns, it is somebody's data.
    if (typeof name !== 'string' || !columns.includes(name)) {
      throw new ConfigError(
        `--template: $column is ${JSON.stringify(name)}, which the first line of the file does not name`,
      )
    }
    if (!kinds.includes(as) || Object.keys(others).length > 0) {
      throw new ConfigError('--template: beside $column there may be as: string, number or boolean')
    }
    isUsed = true
    return undefined
  })
  if (!isUsed) throw new ConfigError('--template has no {"$column": "NAME"}, so all tokens would be the same')
  return row => {
    const misfits: string[] = []
    const body = replaceColumns(template, (name, as) => {
      const field = row.get(String(name)) ?? ''
      if (field === '') return undefined
      const value = readAs(as, field)
      if (value === undefined) misfits.push(String(name))
      return value
    })
    const [at] = misfits
    return at === undefined ? { body: body ?? null } : { misfit: { code: 'column', at } }
  }
}

function parsed(template: string): JsonValue {
  try {
    return parseJson(template)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new ConfigError(`--template ${error.message} (at character ${error.offset})`)
  }
}

const isColumn = (value: JsonValue): value is JsonObject & { readonly $column: JsonValue } =>
  isJsonObject(value) && '$column' in value

const replaceColumns = (
  template: JsonValue,
  replace: (name: JsonValue, as: JsonValue, others: JsonObject) => JsonValue | undefined,
) =>
  mapLeaves(
    template,
    leaf => {
      if (!isColumn(leaf)) return leaf
      const { $column, as = 'string', ...others } = leaf
      return replace($column, as, others)
    },
    value => typeof value !== 'object' || value === null || isColumn(value),
  )

function readAs(kind: JsonValue, field: string): JsonValue | undefined {
  if (kind === 'string') return field
  try {
    // As in `01` for January.
    const value = parseJson(kind === 'number' ? field.replace(/^0+(?=\d)/, '') : field)
    return typeof value === kind ? value : undefined
  } catch {
    return undefined
  }
}
