// Draws /docs/openapi.json as a page. Texts of the contract are inserted as text nodes only, never as markup.
import { setContract } from './contract.js'
import { $, h } from './elements.js'
import { draw } from './page.js'

try {
  const load = async path => {
    const answer = await fetch(path)
    if (!answer.ok) throw new Error(`the server responded with status ${answer.status}`)
    return answer.json()
  }
  const [loaded, guide] = await Promise.all(['/docs/openapi.json', '/docs/guide.json'].map(load))
  setContract(loaded)
  draw(guide)
} catch (error) {
  const link = h('a', { href: '/docs/openapi.json' }, 'openapi.json')
  const text = h(
    'p',
    'The contract could not be shown: ',
    error.message,
    '. You can still read it as ',
    link,
    '.',
  )
  $('content').replaceChildren(h('div.notice', { role: 'alert' }, h('h1', 'API reference'), text))
}
