import { keyOfKinds, makeKeys } from './keys.js'

/** The first calls: method, path, body, and what they do. `ID` is the id of the token that was made last. */
const steps = [
  [
    'Store a card',
    'The response has the id of a token, which stands in for the card from now on.',
    'POST',
    '/tokens',
    { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 } },
  ],
  [
    'Read it back',
    'What comes back depends on the rules of the key: data, a mask, or nothing.',
    'GET',
    '/tokens/ID',
  ],
  [
    'Find it',
    'Tokens are found by their type, metadata, containers and indexed values.',
    'POST',
    '/tokens/search',
    { query: 'type:card' },
  ],
]

function h(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** Returns the first calls, on a development server each to be sent at once. */
export function quickstart({ header, maySend }) {
  const last = { id: 'ID' }
  const shown = []
  const redraw = () => {
    for (const show of shown) show()
  }
  const items = steps.map(([title, text, method, path, body]) => {
    const address = () => `${location.origin}${path.replace('ID', encodeURIComponent(last.id))}`
    const sample = h('code')
    shown.push(() => {
      const key = keyOfKinds(['private']) ?? '$KEY'
      const data = body ? ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'` : ''
      sample.textContent = `curl ${address()} \\\n  -H "${header}: ${key}"${data}`
    })
    const response = h('pre', { role: 'status', tabIndex: 0, hidden: true })
    const send = async () => {
      const answer = await fetch(address(), {
        method,
        headers: {
          [header]: keyOfKinds(['private']) ?? '',
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const json = await answer.json()
      if (method === 'POST' && typeof json.id === 'string') last.id = json.id
      response.hidden = false
      response.textContent = `${answer.status} ${answer.statusText}\n${JSON.stringify(json, null, 2)}`
      redraw()
    }
    const button = h('button', { type: 'button', onclick: send }, 'Send')
    return h(
      'li',
      {},
      h('h2', {}, title),
      h('p', {}, text),
      h('pre', { tabIndex: 0 }, sample),
      ...(maySend ? [button, response] : []),
    )
  })
  redraw()
  return [maySend ? keyPanel(redraw) : aboutKeys(), h('ol', {}, ...items)]
}

const aboutKeys = () =>
  h('p', {}, 'Samples take the API key from $KEY. A development server sends them from this page.')

function keyPanel(made) {
  const state = h('span', { role: 'status' })
  const show = () => {
    state.textContent = keyOfKinds(['private'])
      ? ' Requests of this page are sent with the key of your tenant that may do them.'
      : ' Requests need a key: one that the server has printed, or one of a new tenant.'
  }
  const make = async () => {
    try {
      await makeKeys()
      show()
      made()
    } catch (error) {
      state.textContent = ` ${error.message}`
    }
  }
  show()
  const button = h('button', { type: 'button', onclick: make }, 'Make keys for me')
  const link = h('a', { href: '/_dev' }, '/_dev')
  return h('p', {}, button, state, ' What they did is at ', link, '.')
}
