import { code, h } from './elements.js'
import { keyPanel, maySend } from './own-keys.js'
import { requestSample } from './samples.js'
import { resolve } from './schemas.js'
import { shortForm } from './send.js'

/** The first calls: operation, example of the contract, and what it does. */
const steps = [
  [
    'tokens.create',
    'card',
    'Store a card',
    'The response has the id of a token, which stands in for the card from now on.',
  ],
  [
    'tokens.get',
    '',
    'Read it back',
    'What comes back depends on the rules of the key: data, a mask, or nothing.',
  ],
  [
    'tokens.search',
    '',
    'Find it',
    'Tokens are found by their type, metadata, containers and indexed values.',
  ],
]

/** Shows the first calls with a key, each to be sent at once. */
export function quickstart(operations) {
  const last = { id: '' }
  const received = json => {
    if (typeof json.id !== 'string') return
    last.id = json.id
    for (const field of document.querySelectorAll('#quickstart [name="path id"]')) field.value = last.id
  }
  const items = steps.flatMap(([id, wanted, title, text]) => {
    const operation = operations.find(one => one.id === id)
    if (!operation) return []
    const [[type, media = {}] = []] = Object.entries(resolve(operation.requestBody ?? {}).content ?? {})
    const examples = Object.entries(media.examples ?? {})
    const [name, given = {}] = examples.find(([name]) => name === wanted) ?? examples[0] ?? ['']
    const example = resolve(given)
    const about = h(
      'div.text',
      h('h3', title),
      h('p', text),
      h('p', h('a', { href: `#${id}` }, `All of ${id}`)),
    )
    const samples = h(
      'div.samples',
      requestSample(operation, type, name, { ...example, summary: title }),
      shortForm(operation, type, example.value, received),
    )
    return h('li', h('div.columns', about, samples))
  })
  return h(
    'section',
    { id: 'quickstart', 'aria-labelledby': 'quickstart-heading' },
    h('h2', { id: 'quickstart-heading' }, 'Quickstart'),
    maySend
      ? keyPanel()
      : h(
          'p',
          'Samples take the API key from ',
          code('$KEY'),
          ', and a development server (',
          code('--dev'),
          ') sends them from this page.',
        ),
    h('ol.steps', items),
    maySend && h('p', 'What these requests did is at ', h('a', { href: '/_dev' }, '/_dev'), '.'),
  )
}
