import { h, slug } from './elements.js'
import { markdown } from './markdown.js'

/** Draws a page of the guide like a group of operations: sections with an id and the text that a search looks at. */
export function guidePage({ id, title, sections }) {
  const entries = sections.map(({ heading, text }) => ({
    id: `guide.${id}.${slug(heading) || 'about'}`,
    heading: heading || title,
    text: `${title} ${heading} ${text}`.toLowerCase(),
    markdown: text,
  }))
  const articles = entries.map(entry =>
    h(
      'article.guide',
      { id: entry.id, 'aria-labelledby': `${entry.id}-heading` },
      h('h3', { id: `${entry.id}-heading` }, entry.heading),
      markdown(entry.markdown),
    ),
  )
  const links = entries.map(entry => h('li', h('a.plain', { href: `#${entry.id}` }, entry.heading)))
  return {
    operations: entries,
    body: h('section.tag', { id: `guide.${id}` }, h('header.about', h('h2', title)), articles),
    list: h('div', h('h2', h('a', { href: `#guide.${id}` }, title)), h('ul', links)),
  }
}
