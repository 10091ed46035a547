import { code, h, listed, needed, pairs, pretty, profile, slug, term } from './elements.js'
import { fullText } from './full-text.js'
import { inline, prose } from './markdown.js'
import { requestSample } from './samples.js'
import { label, meaning, member, resolve, view } from './schemas.js'
import { sendForm } from './send.js'
import { coloured, lazy, sample, tabs } from './widgets.js'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export function operationsOf(path, item) {
  const methods = Object.keys(item).filter(method => METHODS.includes(method))
  return methods.map(method => {
    const operation = item[method]
    const { operationId: id = slug(`${method}${path}`), summary = id, tags: [tag] = ['Other'] } = operation
    const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(p => resolve(p))
    const parameters = [...new Map(all.map(p => [`${p.in} ${p.name}`, p])).values()]
    const text = `${id} ${method} ${path} ${fullText({ ...operation, parameters })}`.toLowerCase()
    const isUnbuilt = '501' in (operation.responses ?? {})
    return { ...operation, id, path, method, tag, summary, text, isUnbuilt, parameters }
  })
}

/** @param choice tells the description of the body which example is looked at */
function requests(operation, choice) {
  const [[type, media = {}] = []] = Object.entries(resolve(operation.requestBody ?? {}).content ?? {})
  const examples = Object.entries(media.examples ?? {}).map(([name, example]) => [name, resolve(example)])
  const build = (name, example) => [
    requestSample(operation, type, name, example),
    sendForm(operation, type, example?.value),
  ]
  if (!examples.length) return build('')
  return tabs(
    'Example requests',
    examples.map(([label, example]) => ({ label, build: () => build(label, example) })),
    { onSelect: index => choice.show?.(examples[index][1].value) },
  )
}

function callers({
  'x-permission': permission,
  'x-application-types': kinds = [],
  'x-session': session,
  'x-formula': formula,
}) {
  const keys = [
    listed(kinds.map(code)),
    kinds.length > 1 ? ' applications' : ' application',
    session && ', sessions',
  ]
  const list = []
  if (permission !== undefined)
    list.push(['Permission', permission === null ? 'none required' : code(permission)])
  if (kinds.length) list.push(['Keys of', keys])
  if (session === false) list.push(['Session keys', 'are refused'])
  if (formula) list.push(['Formulas', 'may call this with their client'])
  return h('dl', pairs(list))
}

function parameter(p) {
  const s = view({ ...p.schema, description: p.description })
  const key =
    p['x-key-separator'] && h('p.muted', 'Written as ', code(`${p.name}${p['x-key-separator']}<key>=<value>`))
  const name = h('th', { scope: 'row' }, h('div', term(p.name)), `${p.in} `, needed(p), ' ', profile(p))
  return h('tr', name, h('td', h('div.head', label(s)), meaning(s), key))
}

function content([type, { schema }], choice) {
  const s = view(schema)
  return [h('div.head', term(type), label(s)), meaning(s, [], true, choice)]
}

function requestBody(given, choice) {
  const body = resolve(given)
  const heading = h('h4', 'Request body ', needed(body))
  const contents = Object.entries(body.content).map(media => content(media, choice))
  return h('section', heading, prose(body.description), contents)
}

function response([status, given]) {
  const it = resolve(given)
  const head = [
    h(`span.status.s${status[0]}`, status),
    h('span', inline(it.description.trim()), ' ', profile(it)),
  ]
  return lazy('details.response', head, () => {
    const headers = Object.entries(it.headers ?? {}).map(([name, header]) => {
      const { schema, required, description, 'x-profile': mark } = resolve(header)
      return member(term(name), view({ description, 'x-profile': mark, allOf: [schema] }), [], required)
    })
    const bodies = Object.entries(it.content ?? {})
    const examples = bodies.flatMap(([, media]) =>
      Object.values(media.examples ?? {}).map(each => resolve(each)),
    )
    return [
      bodies.length > 0 ? bodies.map(media => content(media)) : h('p.muted', 'No body.'),
      examples.map(({ summary = 'Example', value }) =>
        sample(summary, h('span', summary), coloured(pretty(value))),
      ),
      headers.length > 0 && [h('h5', 'Headers'), h('ul.members', headers)],
    ]
  })
}

export const methodOf = ({ method }) => h(`span.method.${method}`, method.toUpperCase())

export function article(operation) {
  const { id, summary, parameters, requestBody: body } = operation
  const anchor = h('a.anchor', { href: `#${id}`, 'aria-label': `Link to ${summary}` }, '#')
  const path = operation.path.split(/(\{[^}]+\})/).map((part, i) => (i % 2 ? h('var', part) : part))
  const columns = ['Parameter', 'Meaning'].map(text => h('th', { scope: 'col' }, text))
  const table = [h('thead', h('tr', columns)), h('tbody', parameters.map(parameter))]
  const choice = {}
  const text = [
    prose(operation.description),
    callers(operation),
    parameters.length > 0 && h('section', h('h4', 'Parameters'), h('table', table)),
    body && requestBody(body, choice),
    h('section', h('h4', 'Responses'), Object.entries(operation.responses ?? {}).map(response)),
  ]
  const badges = [profile(operation), operation.isUnbuilt && h('span.badge.unbuilt', 'not built yet')]
  return h(
    'article',
    { id, 'aria-labelledby': `${id}-heading` },
    h('header.title', h('h3', { id: `${id}-heading` }, summary), badges, anchor),
    h('p.endpoint', methodOf(operation), h('code.path', path), h('span.muted', id)),
    h('div.columns', h('div.text', text), h('div.samples', requests(operation, choice))),
  )
}
