import type { JsonObject } from '../../base/json.ts'
import type { PageRequest } from '../../base/page.ts'
import type { PageSelection } from '../../tokens/cursor.ts'

// Requirements: SEA-032
const firstPage = 1
// Requirements: SEA-033
const pageSize = 20

/** The page asked for. The contract has checked the bounds; its defaults are these. */
export function pageOf(query: JsonObject): PageRequest {
  return { page: (query.page as number) ?? firstPage, size: (query.size as number) ?? pageSize }
}

/** The page asked for where a cursor may say which it is. */
export function pageSelectionOf({ page, size, start }: JsonObject): PageSelection {
  return {
    page: (page as number | null | undefined) ?? undefined,
    size: (size as number | null | undefined) ?? pageSize,
    start: (start as string | null | undefined) ?? undefined,
  }
}

/** A repeatable parameter, where it was given. */
export function listOf<K extends string>(name: K, query: JsonObject): { [member in K]?: readonly string[] } {
  const list = query[name] as string[] | undefined
  return list === undefined ? {} : ({ [name]: list } as { [member in K]: string[] })
}

export function mapOf<K extends string>(
  name: K,
  query: JsonObject,
): { [member in K]?: Readonly<Record<string, string>> } {
  const map = query[name] as Record<string, string> | undefined
  return map === undefined ? {} : ({ [name]: map } as { [member in K]: Record<string, string> })
}

export function pathId(path: Readonly<Record<string, string>>): string {
  return path.id ?? ''
}

/** A text parameter, where it was given. */
export function textOf<K extends string>(name: K, query: JsonObject): { [member in K]?: string } {
  const text = query[name]
  return typeof text === 'string' ? ({ [name]: text } as { [member in K]: string }) : {}
}
