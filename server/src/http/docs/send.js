import { contract } from './contract.js'
import { h, pretty } from './elements.js'
import { keyFor, labelOf, maySend, withKeys } from './own-keys.js'
import { coloured, lazy, sample } from './widgets.js'

/** A form that sends a request to this server and shows the response, to be opened. */
export function sendForm(operation, type, example) {
  if (!maySend) return h('p.muted', 'On a development server (--dev) you can send this request from here.')
  return lazy('details.part.send', 'Send this request', () => [form(operation, type, example)])
}

/**
 * A form that sends a request with the body of its example.
 * @param received is called with the JSON of a response that is not a refusal
 */
export function shortForm(operation, type, example, received) {
  return maySend && h('div.send', form(operation, type, example, received))
}

function form(operation, type, example, received) {
  const { parameters, method } = operation
  const field = (label, attributes) =>
    h('label', label, h('input', { autocomplete: 'off', spellcheck: 'false', ...attributes }))
  const inputs = parameters
    .filter(p => p.in !== 'header' && (p.required || !received))
    .map(p =>
      field(`${p.name}${p.required ? '' : ' (optional)'}`, {
        name: `${p.in} ${p.name}`,
        ...(p.required && { required: '' }),
      }),
    )
  const text = example === undefined ? '' : pretty(example)
  const body =
    type && !received && h('label', 'Body', h('textarea', { name: 'body', rows: '8', spellcheck: 'false' }))
  if (body) body.lastChild.value = text
  const wanted = operation['x-application-types'] ?? []
  const result = h('div.result', { role: 'status' })
  const onsubmit = async event => {
    event.preventDefault()
    const key = keyFor(wanted)
    if (key === undefined) {
      const panel = document.getElementById('key')
      panel.scrollIntoView({ block: 'center' })
      panel.querySelector('button').focus({ preventScroll: true })
      return
    }
    const fields = new FormData(event.target)
    result.replaceChildren('…')
    try {
      const given = { type, body: received ? text : fields.get('body'), key }
      const { shown, json } = await responseTo(method, addressOf(operation, fields), given)
      result.replaceChildren(...shown)
      if (json) received?.(json)
    } catch (error) {
      result.replaceChildren(h('p', { role: 'alert' }, String(error)))
    }
  }
  const who = () => {
    const key = keyFor(wanted)
    const kinds = wanted.join(' or ')
    return key === undefined
      ? h('span.muted', `Needs the key of a ${kinds} application: `, h('a', { href: '#key' }, 'set one'))
      : h('span.muted', 'with the key ', h('a', { href: '#key' }, labelOf(key)))
  }
  return h(
    'form',
    { onsubmit },
    inputs,
    body,
    h('div.sender', h('button.primary', { type: 'submit' }, 'Send'), withKeys(who)),
    result,
  )
}

export const keyHeader = () =>
  Object.values(contract.components.securitySchemes).find(scheme => scheme.in === 'header').name

/** Fills in the parameters. A parameter with keys of its own, such as metadata, is typed as `key=value`. */
function addressOf({ path, parameters }, fields) {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(fields.get(`path ${name}`)))
  const search = new URLSearchParams()
  for (const p of parameters.filter(p => p.in === 'query')) {
    const value = fields.get(`query ${p.name}`)
    if (!value) continue
    const [key, ...rest] = value.split('=')
    if (p['x-key-separator']) search.append(`${p.name}${p['x-key-separator']}${key}`, rest.join('='))
    else search.append(p.name, value)
  }
  return search.size ? `${filled}?${search}` : filled
}

async function responseTo(method, address, { type: bodyType, body, key }) {
  const response = await fetch(address, {
    method: method.toUpperCase(),
    headers: { [keyHeader()]: key, ...(body && { 'Content-Type': bodyType }) },
    ...(body && { body }),
    cache: 'no-store',
  })
  const type = response.headers.get('content-type')
  const text = await response.text()
  const isJson = /[/+]json/.test(type)
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const { status, statusText, ok } = response
  const label = h(
    'span',
    'Response ',
    h(`span.status.s${String(status)[0]}`, String(status)),
    ` ${statusText}`,
  )
  const shown = [
    sample('Response', label, text ? coloured(isJson ? pretty(JSON.parse(text)) : text) : ['no body']),
    lazy('details.part', 'Headers', () => [h('pre.headers', { tabindex: 0 }, headers)]),
  ]
  return { shown, json: ok && isJson ? JSON.parse(text) : undefined }
}
