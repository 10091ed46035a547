import { contract } from './contract.js'
import { h, pretty } from './elements.js'
import { keyFor, rememberKey } from './own-keys.js'
import { coloured, lazy, sample } from './widgets.js'

/** True on a development server: elsewhere keys are not to be typed into a page. */
export const maySend = document.querySelector('meta[name=surrogate]')?.content === 'dev'

/** A form that sends a request to this server and shows the response. */
export function sendForm(operation, type, example) {
  if (!maySend) return h('p.muted', 'On a development server (--dev) you can send this request from here.')
  return lazy('details.part.send', 'Send this request', () => [form(operation, type, example)])
}

function form(operation, type, example) {
  const { parameters, method } = operation
  const field = (label, attributes) =>
    h('label', label, h('input', { autocomplete: 'off', spellcheck: 'false', ...attributes }))
  const inputs = parameters
    .filter(p => p.in !== 'header')
    .map(p =>
      field(`${p.name}${p.required ? '' : ' (optional)'}`, {
        name: `${p.in} ${p.name}`,
        ...(p.required && { required: '' }),
      }),
    )
  const key = field(`${keyHeader()}`, { name: 'key', type: 'password', required: '' })
  key.lastChild.value = keyFor(operation['x-application-types'] ?? [])
  const body = type && h('label', 'Body', h('textarea', { name: 'body', rows: '8', spellcheck: 'false' }))
  if (body) body.lastChild.value = example === undefined ? '' : pretty(example)
  const result = h('div', { role: 'status' })
  const onsubmit = async event => {
    event.preventDefault()
    const fields = new FormData(event.target)
    rememberKey(fields.get('key'))
    result.replaceChildren('…')
    try {
      result.replaceChildren(...(await responseTo(method, addressOf(operation, fields), type, fields)))
    } catch (error) {
      result.replaceChildren(h('p', { role: 'alert' }, String(error)))
    }
  }
  return h('form', { onsubmit }, key, inputs, body, h('button', { type: 'submit' }, 'Send'), result)
}

const keyHeader = () =>
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

async function responseTo(method, address, type, fields) {
  const body = fields.get('body')
  const response = await fetch(address, {
    method: method.toUpperCase(),
    headers: { [keyHeader()]: fields.get('key'), ...(body && { 'Content-Type': type }) },
    ...(body && { body }),
    cache: 'no-store',
  })
  const text = await response.text()
  const shown = /json/.test(response.headers.get('content-type')) ? pretty(JSON.parse(text)) : text
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const { status, statusText } = response
  return [
    h('p', h(`span.status.s${String(status)[0]}`, String(status)), ' ', statusText),
    shown && sample('Response', coloured(shown)),
    lazy('details.part', 'Headers', () => [h('pre', { tabindex: 0 }, headers)]),
  ].filter(Boolean)
}
