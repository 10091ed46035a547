/** Evaluates `{{ data.a.b | filter }}`: a small part of the template language, enough for tokens. */

const text = value => (typeof value === 'string' ? value : JSON.stringify(value))

const filters = {
  stringify: value => text(value),
  last4: value => text(value).slice(-4),
  reveal_last4: value => text(value).slice(-4).padStart(text(value).length, 'X'),
  remove: (value, what) => text(value).replaceAll(what, ''),
}

/** @throws {Error} if the expression cannot be evaluated */
function resolved(expression, data) {
  const [path, ...steps] = expression.split('|').map(part => part.trim())
  const [root, ...names] = path.split('.')
  if (root !== 'data') throw new Error(`${root} is not known`)
  let value = names.reduce((at, name) => (Object.hasOwn(Object(at), name) ? at[name] : undefined), data)
  for (const step of steps) {
    const [name, argument = ''] = step.split(/:\s*/)
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined
    if (!filter) throw new Error(`there is no filter ${name}`)
    value = filter(value, argument.replaceAll(/^['"]|['"]$/g, ''))
  }
  return value
}

/** Evaluates a text: one expression alone keeps its type, others are put into the text around them. */
export function evaluated(template, data) {
  const alone = /^\{\{([^{}]*)\}\}$/.exec(template.trim())
  if (alone) return resolved(alone[1], data)
  return template.replaceAll(/\{\{([^{}]*)\}\}/g, (_all, expression) =>
    text(resolved(expression, data) ?? ''),
  )
}

/** Evaluates every text of a mask. */
export function masked(mask, data) {
  if (typeof mask === 'string') return evaluated(mask, data)
  if (Array.isArray(mask)) return mask.map(item => masked(item, data))
  if (typeof mask !== 'object' || mask === null) return mask
  return Object.fromEntries(Object.entries(mask).map(([name, inner]) => [name, masked(inner, data)]))
}
