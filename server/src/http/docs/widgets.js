import { partsOf } from './colours.ts'
import { h } from './elements.js'

/** Creates details that are filled when first opened, so that a schema may contain itself. */
export function lazy(selector, summary, build) {
  const ontoggle = ({ target }) => {
    if (target.open && target.childElementCount === 1)
      target.append(...build().flat(Infinity).filter(Boolean))
  }
  return h(selector, { ontoggle }, h('summary', summary))
}

let groups = 0

/**
 * Creates tabs for {label, build}, with arrow keys to move between them; for a single one, only its contents.
 * @param onSelect is called with the index of each tab that is shown
 * @param control gets a function `select`
 */
export function tabs(label, items, { onSelect = () => {}, control = {} } = {}) {
  if (items.length === 1) {
    control.select = () => {}
    onSelect(0)
    return items[0].build()
  }
  const id = `tabs-${++groups}`
  const built = []
  const panel = h('div', { role: 'tabpanel', id })
  const select = chosen => {
    for (const [i, button] of buttons.entries()) {
      button.setAttribute('aria-selected', i === chosen)
      button.tabIndex = i === chosen ? 0 : -1
    }
    built[chosen] ??= h('div', items[chosen].build())
    panel.setAttribute('aria-labelledby', buttons[chosen].id)
    panel.replaceChildren(built[chosen])
    onSelect(chosen)
  }
  control.select = select
  const onkeydown = event => {
    const at = buttons.indexOf(event.target)
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const chosen = (next + buttons.length) % buttons.length
    select(chosen)
    buttons[chosen].focus()
  }
  const buttons = items.map((item, i) => {
    const attributes = {
      type: 'button',
      role: 'tab',
      id: `${id}-${i}`,
      'aria-controls': id,
      onclick: () => select(i),
    }
    return h('button', attributes, item.label)
  })
  select(0)
  return [h('div', { role: 'tablist', 'aria-label': label, onkeydown }, buttons), panel]
}

/** Colours names, strings and constants of JSON, or of a program. */
export function coloured(text, isJson = true) {
  return partsOf(text, isJson).map(([part, kind]) => (kind ? h(`span.${kind}`, part) : part))
}

/**
 * Creates a block of code that can be scrolled by keyboard and copied.
 * @param label names the block
 * @param title stands above it
 * @param controls stand beside the button
 */
export function sample(label, title, nodes, ...controls) {
  const block = h('pre', { tabindex: 0, role: 'region', 'aria-label': label }, h('code', nodes))
  const onclick = async ({ currentTarget: button }) => {
    try {
      await navigator.clipboard.writeText(block.textContent)
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(block)
      button.textContent = 'Selected'
    }
    setTimeout(() => button.replaceChildren('Copy'), 1500)
  }
  const button = h('button.small', { type: 'button', 'aria-live': 'polite', onclick }, 'Copy')
  return h('figure', h('figcaption', title, controls, button), block)
}
