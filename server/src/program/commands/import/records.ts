import { csvFields } from '../../../base/csv.ts'
import { JsonError, type JsonValue, parseJson } from '../../../base/json/json.ts'
import { limits } from '../../../generated/facts.ts'
import { ConfigError } from '../../config-error.ts'
import { linesOf, type Misfit } from './lines.ts'
import { parseTemplate, type Template } from './template.ts'

/** A request for a token, or why there is none, by the number of the line at which it begins. */
export type ImportRecord = { readonly line: number } & (
  | { readonly body: JsonValue }
  | { readonly misfit: Misfit }
)

/** Reads the token requests of an NDJSON file, one a line. Empty lines are skipped. @throws {ConfigError} */
export async function* ndjsonRecords(file: string): AsyncGenerator<ImportRecord> {
  for await (const one of linesOf(file)) {
    if ('misfit' in one) yield one
    else if (one.text.trim() !== '') yield { line: one.line, ...parsed(one.text) }
  }
}

function parsed(text: string): { readonly body: JsonValue } | { readonly misfit: Misfit } {
  try {
    return { body: parseJson(text) }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return { misfit: { code: 'malformed_json' } }
  }
}

/** Reads the rows of a CSV file, whose first line names the columns, as token requests. @throws {ConfigError} */
export async function* csvRecords(file: string, template: string): AsyncGenerator<ImportRecord> {
  let columns: readonly string[] = []
  let make: Template | undefined
  for await (const row of rowsOf(file)) {
    if (!make) {
      columns = 'misfit' in row ? [''] : row.fields
      if (columns.includes('') || new Set(columns).size < columns.length) {
        throw new ConfigError(`the first line of ${file} does not name the columns, each once`)
      }
      make = parseTemplate(template, columns)
    } else if ('misfit' in row) yield row
    else if (row.fields.length === columns.length) {
      yield { line: row.line, ...make(new Map(columns.map((name, at) => [name, row.fields[at] ?? '']))) }
    } else yield { line: row.line, misfit: { code: 'malformed_csv' } }
  }
}

type Row = { readonly line: number } & ({ readonly fields: readonly string[] } | { readonly misfit: Misfit })

/** Yields the rows of a CSV file. One that is longer than the body of a request ends there. */
async function* rowsOf(file: string): AsyncGenerator<Row> {
  const misfit = { code: 'malformed_csv' }
  let [line, text, isOpen] = [0, '', false]
  for await (const one of linesOf(file)) {
    if (!isOpen) [line, text] = [one.line, '']
    if ('misfit' in one) {
      isOpen = false
      yield { line, misfit: one.misfit }
      continue
    }
    text += isOpen ? `\n${one.text}` : one.text
    // A field in quotes may have several lines.
    if (one.text.split('"').length % 2 === 0) isOpen = !isOpen
    if (isOpen && text.length <= limits.bodyBytes) continue
    const fields = isOpen ? undefined : csvFields(text.replace(/\r$/, ''))
    isOpen = false
    // Spreadsheets leave rows without a value at the end.
    if (fields?.join('') !== '') yield fields ? { line, fields } : { line, misfit }
  }
  if (isOpen) yield { line, misfit }
}
