/** Throws a `TypeError` if an option that often comes from the environment is missing. */
export function refuseMissing(name: string, value: unknown): void {
  if (value === undefined || value === null || value === '')
    throw new TypeError(`${name} is missing or empty; is its environment variable set?`)
}

/** Checks a base URL and returns it without a slash at the end. */
export function checkedBaseUrl(baseUrl: string | undefined): string {
  refuseMissing('baseUrl', baseUrl)
  // No credentials, query or fragment.
  if (!baseUrl || !/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError('baseUrl must be an http or https URL without credentials, query and fragment')
  return new URL(baseUrl).href.replace(/\/+$/, '')
}

/**
 * Puts ids into a path. Refuses ids that are empty, `.` or `..`, since with them it would be the path of another
 * resource.
 */
export function fillPath(path: string, ids: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name]
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
      throw new TypeError(`${name} must be a non-empty string other than . and ..`)
    return encodeURIComponent(id)
  })
}

/**
 * Returns a query string with its `?`, or an empty string. Lists become repeated parameters (`id=a&id=b`), maps one
 * parameter for each entry (`metadata.k=v`).
 *
 * Undefined members are left out. An empty list or an undefined entry is refused: without it the filter would match
 * everything.
 */
export function queryString(query: object = {}, separators: Record<string, string> = {}): string {
  const params = new URLSearchParams()
  const append = (name: string, value: unknown) => {
    if (value === undefined || value === null)
      throw new TypeError(`${name} must not be empty; leave it out instead`)
    params.append(name, String(value))
  }
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    const separator = separators[name]
    if (Array.isArray(value)) for (const item of value.length ? value : [undefined]) append(name, item)
    else if (separator === undefined) append(name, value)
    else for (const [key, item] of Object.entries(value)) append(name + separator + key, item)
  }
  const text = String(params)
  return text && `?${text}`
}
