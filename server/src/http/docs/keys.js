/** The keys of this tab, which the page at /_dev shares. */
const place = 'surrogate-keys'
const kinds = { key_pub_: 'public', key_prv_: 'private', key_mgt_: 'management' }
const kindOf = key => kinds[key.slice(0, 8)]

function keys() {
  try {
    return JSON.parse(sessionStorage.getItem(place)).keys.filter(({ kind }) => kind !== 'session')
  } catch {
    return []
  }
}

/** Makes a tenant on a development server, and keeps its keys until the tab is closed. */
export async function makeKeys() {
  const response = await fetch('/_dev/tenants', { method: 'POST' })
  const made = await response.json()
  if (!response.ok) throw new Error(made.detail)
  const given = [made.management_key, made.private_key, made.public_key]
  sessionStorage.setItem(
    place,
    JSON.stringify({ token: '', keys: given.map(key => ({ key, kind: kindOf(key) })) }),
  )
}

/** Returns the key for an operation that takes those of some kinds of application. */
export const keyOfKinds = wanted => keys().find(({ kind }) => wanted.includes(kind))?.key

/** Returns the key for a request, by the operation of the contract that it is for. */
export function keyFor({ paths }, { method, url }) {
  const { pathname } = new URL(url)
  const found = Object.entries(paths).flatMap(([path, item]) => {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
    return pattern.test(pathname) ? (item[method.toLowerCase()] ?? []) : []
  })
  // A fixed path has no parameters, and comes before one that also fits.
  const [operation] = found.sort((a, b) => (a.parameters?.length ?? 0) - (b.parameters?.length ?? 0))
  return keyOfKinds(operation?.['x-application-types'] ?? ['private'])
}
