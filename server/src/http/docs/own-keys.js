import { h } from './elements.js'

/** The keys of this tab: those that were given here, and those of the page at /_dev. */
const own = 'surrogate-docs-keys'
const ofDevPage = 'surrogate-keys'
const kinds = { key_pub_: 'public', key_prv_: 'private', key_mgt_: 'management' }

/** True on a development server: elsewhere keys are not to be typed into a page. */
export const maySend = document.querySelector('meta[name=surrogate]')?.content === 'dev'

function read(place, pick) {
  try {
    return pick(JSON.parse(sessionStorage.getItem(place))) ?? []
  } catch {
    return []
  }
}

const keys = () => [
  ...new Set([
    ...read(own, kept => kept),
    ...read(ofDevPage, ({ keys }) => keys.filter(({ kind }) => kind !== 'session').map(({ key }) => key)),
  ]),
]

/** Keeps a value until the tab is closed. */
function keep(place, value) {
  sessionStorage.setItem(place, JSON.stringify(value))
  document.dispatchEvent(new Event('keys'))
}

const kindOf = key => kinds[key.slice(0, 8)]
export const labelOf = key => `${kindOf(key) ?? 'key'} …${key.slice(-4)}`

/** Returns the key for an operation that takes those of some kinds of application; one of no known kind may fit, too. */
export function keyFor(wanted) {
  return keys().find(key => wanted.includes(kindOf(key))) ?? keys().find(key => !kindOf(key))
}

/** Draws something again whenever the keys change. */
export function withKeys(draw) {
  const place = h('div', draw())
  document.addEventListener('keys', () => place.replaceChildren(...[draw()].flat().filter(Boolean)))
  return place
}

/** The one place where keys are set: a field, and a button that makes some. */
export function keyPanel() {
  const failed = h('p', { role: 'status' })
  const attempt = action => async event => {
    event.preventDefault()
    failed.replaceChildren()
    try {
      await action(event)
    } catch (error) {
      failed.replaceChildren(String(error.message))
    }
  }
  const use = attempt(({ target }) => {
    const key = new FormData(target).get('key').trim()
    keep(own, [...new Set([key, ...read(own, kept => kept)])].slice(0, 10))
    target.reset()
  })
  const make = attempt(async () => {
    const response = await fetch('/_dev/tenants', { method: 'POST' })
    const made = await response.json()
    if (!response.ok) throw new Error(made.detail)
    // The page at /_dev then shows the new tenant.
    const given = [made.management_key, made.private_key, made.public_key]
    keep(ofDevPage, { token: '', keys: given.map(key => ({ key, kind: kindOf(key) })) })
  })
  const forget = attempt(() => {
    for (const place of [own, ofDevPage]) sessionStorage.removeItem(place)
    document.dispatchEvent(new Event('keys'))
  })
  const input = h('input', {
    name: 'key',
    type: 'password',
    required: '',
    autocomplete: 'off',
    'aria-label': 'API key',
    placeholder: 'API key',
  })
  const state = () => {
    const known = keys()
    if (known.length === 0) {
      return [
        h('p', 'Requests need a key: one that the server has printed, or one of a new tenant.'),
        h('button.primary', { type: 'button', onclick: make }, 'Make keys for me'),
      ]
    }
    const used = known.filter((key, at) => known.findIndex(one => kindOf(one) === kindOf(key)) === at)
    return [
      h('p', 'Each request is sent with the key that may do it, of these:'),
      h(
        'div.sender',
        used.map(key => h('code', labelOf(key))),
        h('button.small', { type: 'button', onclick: forget }, 'Forget'),
      ),
    ]
  }
  return h(
    'section.panel',
    { id: 'key', 'aria-label': 'Keys' },
    withKeys(state),
    h('form', { onsubmit: use }, input, h('button', { type: 'submit' }, 'Use this key')),
    failed,
  )
}
