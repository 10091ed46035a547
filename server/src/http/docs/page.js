import { contract } from './contract.js'
import { $, code, h, pairs, plural, slug } from './elements.js'
import { guidePage } from './guide.js'
import { highlight } from './highlight.js'
import { inline, prose } from './markdown.js'
import { article, methodOf, operationsOf } from './operations.js'
import { maySend } from './own-keys.js'
import { quickstart } from './quickstart.js'

function introduction(operations) {
  const { title, version, summary = '', description, license } = contract.info
  const link = h('a', { href: '/docs/openapi.json' }, `OpenAPI ${contract.openapi} document`)
  const list = Object.entries({ Version: version, 'This server': code(location.origin), Contract: link })
  if (license) list.push(['License', license.identifier ?? license.name])
  for (const { name, description: use = '' } of Object.values(contract.components?.securitySchemes ?? {}))
    list.push(['Key', code(name), ' ', inline(use)])
  if (maySend) list.push(['Development', h('a', { href: '/_dev' }, 'What happens in a tenant')])
  const about = h(
    'section',
    { id: 'about', 'aria-labelledby': 'about-heading' },
    h('h2', { id: 'about-heading' }, 'About this API'),
    h('dl', pairs(list)),
    h('div.prose', prose(description)),
  )
  const heading = h('header', h('h1', title), h('p.lead', inline(summary)))
  return h('div', { id: 'introduction' }, heading, quickstart(operations), about)
}

function section(tag, operations) {
  const id = `tag.${slug(tag.name)}`
  const links = operations.map(operation => {
    const unbuilt = operation.isUnbuilt && h('span.hidden', ' (not built yet)')
    const text = h(operation.isUnbuilt ? 'span.pending' : 'span', operation.summary, unbuilt)
    return h('li', h('a', { href: `#${operation.id}` }, methodOf(operation), text))
  })
  const about = h('header.about', h('h2', tag.name), prose(tag.description))
  return {
    body: h('section.tag', { id }, about, operations.map(article)),
    list: h('div', h('h2', h('a', { href: `#${id}` }, tag.name)), h('ul', links)),
  }
}

const wordsOf = text => text.toLowerCase().split(/\s+/)

/** Says that a search found nothing, and offers to end it. */
function nothingFound(clear) {
  const button = h('button', { type: 'button', onclick: clear }, 'Clear the search')
  const text = h('p', 'No section has all the words of “', h('strong'), '”.')
  return h('div.notice', { hidden: '' }, h('h2', 'Nothing found'), text, button)
}

/** @param guide pages beside the contract: `[{ id, title, sections }]` */
export function draw(guide) {
  const all = Object.entries(contract.paths).flatMap(([path, item]) => operationsOf(path, item))
  const described = new Map((contract.tags ?? []).map(tag => [tag.name, tag]))
  const names = new Set([...described.keys(), ...all.map(operation => operation.tag)])
  const sections = [...names].map(name => {
    const operations = all.filter(operation => operation.tag === name)
    return { operations, ...section(described.get(name) ?? { name }, operations) }
  })
  sections.push(...guide.map(guidePage))
  const entries = sections.flatMap(({ operations }) => operations)
  document.title = `${contract.info.title}: API reference`
  $('home').textContent = contract.info.title
  const start = ['quickstart', 'about'].map((id, i) =>
    h('li', h('a.plain', { href: `#${id}` }, ['Quickstart', 'About this API'][i])),
  )
  const nothing = nothingFound(() => filter(''))
  $('content').replaceChildren(introduction(all), ...sections.map(({ body }) => body), nothing)
  $('nav').replaceChildren(h('ul', { id: 'start' }, start), ...sections.map(({ list }) => list))
  $('side').hidden = false

  const linkOf = id => $('nav').querySelector(`[href="#${CSS.escape(id)}"]`)
  const filter = text => {
    $('filter').value = text
    const words = wordsOf(text)
    let found = 0
    for (const { operations, body, list } of sections) {
      const hits = operations.filter(operation => words.every(word => operation.text.includes(word)))
      for (const operation of operations) {
        $(operation.id).hidden = linkOf(operation.id).parentElement.hidden = !hits.includes(operation)
      }
      body.hidden = list.hidden = !hits.length
      found += hits.length
    }
    $('introduction').hidden = $('start').hidden = Boolean(text)
    nothing.hidden = found > 0
    nothing.querySelector('strong').textContent = text.trim()
    highlight($('content'), found > 0 ? words : [])
    $('found').textContent = text && `${found} of ${plural(entries.length, 'section')}`
  }
  const openMenu = open => {
    $('side').classList.toggle('open', open)
    $('menu').setAttribute('aria-expanded', open)
  }
  const follow = () => {
    openMenu(false)
    const target = $(location.hash.slice(1))
    if (target?.closest('[hidden]')) filter('')
    target?.scrollIntoView()
  }
  $('filter').addEventListener('input', ({ target }) => {
    filter(target.value.trimStart())
    scrollTo(0, 0)
  })
  // Parts that are closed are marked when they are opened.
  $('content').addEventListener('toggle', () => highlight($('content'), wordsOf($('filter').value)), true)
  $('menu').addEventListener('click', () => openMenu($('menu').getAttribute('aria-expanded') === 'false'))
  $('nav').addEventListener('click', ({ target }) => target.closest('a') && openMenu(false))
  addEventListener('hashchange', follow)
  addEventListener('keydown', event => {
    if (event.key === 'Escape' && event.target === $('filter')) filter('')
    if (event.key !== '/' || event.target.matches('input, textarea, select')) return
    event.preventDefault()
    openMenu(true)
    $('filter').focus()
  })
  trackReading(entries, linkOf)
  if (location.hash) follow()
}

/** Marks the visible operation in the navigation, and scrolls it into view there. */
function trackReading(operations, linkOf) {
  const visible = new Set()
  const observe = changes => {
    for (const { target, isIntersecting } of changes) visible[isIntersecting ? 'add' : 'delete'](target.id)
    const current = operations.find(({ id }) => visible.has(id))
    $('nav').querySelector('[aria-current]')?.removeAttribute('aria-current')
    if (!current) return
    const link = linkOf(current.id)
    link.setAttribute('aria-current', 'location')
    const side = $('side')
    const top = link.getBoundingClientRect().top - side.getBoundingClientRect().top
    const isSeen = top > 0 && top < side.clientHeight - 50
    if (!isSeen && !side.contains(document.activeElement)) side.scrollTop += top - side.clientHeight / 2
  }
  const observer = new IntersectionObserver(observe, { rootMargin: '-80px 0px -65% 0px' })
  for (const { id } of operations) observer.observe($(id))
}
