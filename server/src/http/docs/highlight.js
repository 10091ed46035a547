/** At most this many places are marked. */
const most = 2000

/** Marks the words in the visible text of an element, without a change of its content. Old browsers mark nothing. */
export function highlight(element, words) {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete('found')
  const wanted = words.filter(word => word.length > 1)
  if (wanted.length === 0) return
  const ranges = []
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (texts.nextNode() && ranges.length < most) {
    const node = texts.currentNode
    if (!node.parentElement.checkVisibility()) continue
    const text = node.data.toLowerCase()
    for (const word of wanted) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, at + word.length)
        ranges.push(range)
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges))
}
