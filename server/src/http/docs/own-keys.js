/** The keys of this tab: those that were used here, and those of the page at /_dev. */
const own = 'surrogate-docs-keys'
const ofDevPage = 'surrogate-keys'
const kinds = { public: 'key_pub_', private: 'key_prv_', management: 'key_mgt_' }

function read(place, pick) {
  try {
    return pick(JSON.parse(sessionStorage.getItem(place))) ?? []
  } catch {
    return []
  }
}

const keys = () => [...read(own, kept => kept), ...read(ofDevPage, ({ keys }) => keys.map(({ key }) => key))]

/** Returns the key that was used last for one of these kinds of application. */
export function keyFor(wanted) {
  return keys().find(key => wanted.some(kind => key.startsWith(kinds[kind]))) ?? ''
}

/** Keeps a key until the tab is closed. */
export function rememberKey(key) {
  const others = read(own, kept => kept).filter(one => one !== key)
  sessionStorage.setItem(own, JSON.stringify([key, ...others].slice(0, 10)))
}
