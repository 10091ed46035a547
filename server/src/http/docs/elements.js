export const $ = id => document.getElementById(id)

/** Creates an element: tag.classes, optional attributes and listeners (on…), and children; false ones are skipped. */
export function h(selector, ...children) {
  const [tag, ...classes] = selector.split('.')
  const element = document.createElement(tag)
  if (classes.length) element.className = classes.join(' ')
  const attributes = children[0]?.constructor === Object ? children.shift() : {}
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value)
  }
  element.append(...children.flat(Infinity).filter(Boolean))
  return element
}

export const code = text => h('code', text)
export const term = text => h('code.term', text)
export const literal = value => code(typeof value === 'string' ? value : JSON.stringify(value))
export const listed = nodes => nodes.flatMap((node, i) => (i ? [', ', node] : [node]))
export const profile = thing => thing['x-profile'] && h('span.badge.profile', thing['x-profile'])
export const needed = thing => thing.required === true && h('span.required', 'required')
export const pairs = list => list.map(([term, ...said]) => h('div', h('dt', term), h('dd', said)))
export const pretty = value => JSON.stringify(value, null, 2)
export const slug = text => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
export const plural = (n, unit) => `${n.toLocaleString('en')} ${unit}${n === 1 ? '' : 's'}`
