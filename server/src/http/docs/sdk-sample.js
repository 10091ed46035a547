/** Returns code that calls an operation with the client: `surrogate.tokens.update(id, body)`. */
export function sdkSample({ id, parameters, requestBody }, example) {
  const ids = parameters.filter(p => p.in === 'path').map(p => camelCase(p.name))
  const query = parameters.filter(p => p.in === 'query' && p.required)
  const searched = query.length ? [literal(Object.fromEntries(query.map(p => [p.name, '…'])))] : []
  const body = requestBody ? [example === undefined ? 'body' : literal(example)] : []
  return `const result = await surrogate.${id}(${[...ids, ...searched, ...body].join(', ')})`
}

const camelCase = name => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())

const plainName = /^[A-Za-z_$][\w$]*$/

/** Writes a value as a literal of JavaScript: names without quotes where they need none. */
function literal(value, indent = '') {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const items = Array.isArray(value)
    ? value.map(item => literal(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${plainName.test(name) ? name : literal(name)}: ${literal(item, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return items.length
    ? `${open}\n${items.map(item => `${inner}${item},\n`).join('')}${indent}${close}`
    : open + close
}
