import { code, h } from './elements.js'

/** Converts `code`, **bold** and links in a paragraph. Links within the repository lead nowhere here, and are text. */
export function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/).map((part, i) => {
    if (i % 2 === 0) return part.replace(/\s+/g, ' ')
    if (part[0] === '`') return code(part.slice(1, -1))
    if (part[0] === '*') return h('strong', inline(part.slice(2, -2)))
    const [label, address] = part.slice(1, -1).split('](')
    return /^https:\/\//.test(address) ? h('a', { href: address, rel: 'noreferrer' }, label) : label
  })
}

/** Converts paragraphs and lists. Numbered lists must begin with 1., since other lines may begin with a number. */
export function prose(text = '') {
  const blocks = []
  const chunks = text.trim().split(/\n\s*\n|\n(?=[-*] )/)
  for (const chunk of chunks.flatMap(each => (/^1\. /.test(each) ? each.split(/\n(?=\d+\. )/) : each))) {
    const [marker] = /^([-*]|\d+\.) /.exec(chunk) ?? []
    const list = marker && (marker.length > 2 ? 'OL' : 'UL')
    if (list && blocks.at(-1)?.tagName !== list) blocks.push(h(list))
    if (list) blocks.at(-1).append(h('li', inline(chunk.slice(marker.length))))
    else if (chunk) blocks.push(h('p', inline(chunk)))
  }
  return blocks
}

/** Converts a page of the guide: besides paragraphs and lists, fenced code and tables. */
export function markdown(text) {
  return text.split(/^```\w*\n([\s\S]*?)^```$/m).flatMap((part, i) => {
    if (i % 2) return h('pre', { tabindex: 0 }, code(part.trimEnd()))
    return part.split(/^((?:\|.*\|(?:\n|$))+)/m).flatMap((piece, j) => (j % 2 ? table(piece) : prose(piece)))
  })
}

function table(text) {
  const [head, , ...rows] = text
    .trim()
    .split('\n')
    .map(line =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map(cell => inline(cell.trim().replaceAll('\\|', '|'))),
    )
  const line = (tag, cells) =>
    h(
      'tr',
      cells.map(cell => h(tag, cell)),
    )
  const drawn = h(
    'table',
    h('thead', line('th', head)),
    h(
      'tbody',
      rows.map(row => line('td', row)),
    ),
  )
  return h('div.scroll', { tabindex: 0, role: 'group', 'aria-label': 'Table' }, drawn)
}
