import { mustBe, refuseMissing } from './check.ts'

/** Checks a base URL and returns it without a slash at the end. */
export function checkedBaseUrl(baseUrl: string | undefined): string {
  refuseMissing('baseUrl', baseUrl)
  let [href, origin, pathname] = ['', '', '']
  try {
    // Not `canParse`, which is newer than some runtimes.
    ;({ href, origin, pathname } = new URL(baseUrl))
  } catch {}
  mustBe(
    'baseUrl',
    /^http/.test(origin) && href === origin + pathname,
    'an http(s) URL without credentials, query and fragment',
  )
  return href.replace(/\/+$/, '')
}

/**
 * Puts ids into a path. Refuses ids that are empty, `.` or `..`, since with them it would be the path of another
 * resource.
 */
export const fillPath = (path: string, ids: Record<string, unknown>): string =>
  path.replace(/{(\w+)}/g, (_, name) => {
    const id = ids[name]
    mustBe(name, typeof id === 'string' && !/^\.{0,2}$/.test(id), 'a string, not empty, . or ..')
    return encodeURIComponent(id as string)
  })

/**
 * Returns a query string with its `?`, or an empty string. Lists become repeated parameters (`id=a&id=b`), maps one
 * parameter for each entry (`metadata.k=v`).
 *
 * Undefined members are left out. An empty list or an undefined entry is refused: without it the filter would match
 * everything.
 */
export function queryString(query: object): string {
  const pairs: [string, string][] = []
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    const isMap = typeof value === 'object' && !Array.isArray(value)
    const entries = Object.entries<unknown>(isMap ? value : [value].flat())
    for (const [key, item] of isMap || entries[0] ? entries : [[]]) {
      const full = isMap ? `${name}.${key}` : name
      mustBe(full, item !== undefined && item !== null, 'set or left out')
      pairs.push([full, item as string])
    }
  }
  return pairs[0] ? `?${new URLSearchParams(pairs)}` : ''
}
