/** The contract, once it is loaded. */
export let contract

export function setContract(loaded) {
  contract = loaded
}

/** Returns the part of the contract that a reference names. */
export function lookup(ref) {
  const keys = ref.replace(/^#\/?/, '').split('/')
  const key = part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  return keys.reduce((at, part) => at?.[key(part)], contract) ?? { description: `See \`${ref}\`.` }
}
