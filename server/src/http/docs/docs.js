// Draws /docs/openapi.json as a page. Texts of the contract are inserted as text nodes only, never as markup.

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean']

let contract

const $ = id => document.getElementById(id)

/** Creates an element: tag.classes, optional attributes and listeners (on…), and children; false ones are skipped. */
function h(selector, ...children) {
  const [tag, ...classes] = selector.split('.')
  const element = document.createElement(tag)
  if (classes.length) element.className = classes.join(' ')
  const attributes = children[0]?.constructor === Object ? children.shift() : {}
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value)
  }
  element.append(...children.flat(Infinity).filter(Boolean))
  return element
}

const code = text => h('code', text)
const term = text => h('code.term', text)
const literal = value => code(typeof value === 'string' ? value : JSON.stringify(value))
const listed = nodes => nodes.flatMap((node, i) => (i ? [', ', node] : [node]))
const profile = thing => thing['x-profile'] && h('span.badge.profile', thing['x-profile'])
const needed = thing => thing.required === true && h('span.required', 'required')
const pairs = list => list.map(([term, ...said]) => h('div', h('dt', term), h('dd', said)))
const pretty = value => JSON.stringify(value, null, 2)
const slug = text => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
const plural = (n, unit) => `${n.toLocaleString('en')} ${unit}${n === 1 ? '' : 's'}`

// -------------------------------------------------------------------------------------------------- Markdown

/** Converts `code` and **bold** in a paragraph. */
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, i) => {
    if (i % 2 === 0) return part.replace(/\s+/g, ' ')
    return part[0] === '`' ? code(part.slice(1, -1)) : h('strong', inline(part.slice(2, -2)))
  })
}

/** Converts paragraphs and lists. Numbered lists must begin with 1., since other lines may begin with a number. */
function prose(text = '') {
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

// --------------------------------------------------------------------------------------------------- widgets

/** Creates details that are filled when first opened, so that a schema may contain itself. */
function lazy(selector, summary, build) {
  const ontoggle = ({ target }) => {
    if (target.open && target.childElementCount === 1)
      target.append(...build().flat(Infinity).filter(Boolean))
  }
  return h(selector, { ontoggle }, h('summary', summary))
}

let groups = 0

/** Creates tabs for {label, build}, with arrow keys to move between them; for a single one, only its contents. */
function tabs(label, items) {
  if (items.length === 1) return items[0].build()
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
  }
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

/** Highlights names, strings and constants of JSON, alone or in a command. */
function coloured(text) {
  const parts = text.split(/("(?:[^"\\]|\\.)*"(?:\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/)
  const kind = part => (part.endsWith(':') ? 'name' : part[0] === '"' ? 'string' : 'constant')
  return parts.map((part, i) => (i % 2 ? h(`span.${kind(part)}`, part) : part))
}

/** Creates a block of code that can be scrolled by keyboard and copied. */
function sample(label, ...nodes) {
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
  const button = h('button', { type: 'button', 'aria-live': 'polite', onclick }, 'Copy')
  return h('figure', h('figcaption', h('span', label), button), block)
}

// --------------------------------------------------------------------------------------------------- schemas

function lookup(ref) {
  const keys = ref.replace(/^#\/?/, '').split('/')
  const key = part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  return keys.reduce((at, part) => at?.[key(part)], contract) ?? { description: `See \`${ref}\`.` }
}

/** Resolves references to a parameter, header, response or example. */
function resolve(thing, hops = 0) {
  return thing.$ref && hops < 20 ? resolve(lookup(thing.$ref), hops + 1) : thing
}

/** Merges a schema: follows references and allOf; a choice of something or null becomes nullable. */
function view(schema, into = { refs: [], members: {}, needs: [], nullable: false }) {
  const { $ref, allOf = [], oneOf, anyOf = oneOf ?? [], properties, required = [], ...rest } = Object(schema)
  for (const [key, value] of Object.entries(rest)) into[key] ??= value
  for (const [name, member] of Object.entries(properties ?? {})) into.members[name] ??= member
  into.needs.push(...required)
  const choices = anyOf.filter(choice => choice.type !== 'null')
  if (choices.length > 1) into.choices ??= choices
  into.nullable ||= choices.length < anyOf.length || (Array.isArray(rest.type) && rest.type.includes('null'))
  for (const part of choices.length === 1 ? [...allOf, ...choices] : allOf) view(part, into)
  if (!$ref || into.refs.includes($ref)) return into
  into.refs.push($ref)
  return view(lookup($ref), into)
}

const nameOf = s => s.refs[0]?.split('/').at(-1)
const isMap = s => Object.keys(Object(s.additionalProperties)).length > 0

function typeOf(s) {
  if (s.const !== undefined) return JSON.stringify(s.const)
  const types = [s.type ?? []].flat()
  if (JSON_TYPES.every(type => types.includes(type)))
    return s.nullable ? 'any JSON value' : 'any JSON value except null'
  if (!types.length && Object.keys(s.members).length) types.push('object')
  if (!types.length) return s.choices ? 'one of several' : 'any JSON value'
  if (s.nullable && !types.includes('null')) types.push('null')
  const items = s.items && view(s.items)
  const ofItems = items && ` of ${(/array|object/.test(items.type) && nameOf(items)) || typeOf(items)}`
  return types.map(type => (type === 'array' && items ? type + ofItems : type)).join(' or ')
}

/** Returns the type, the name of the schema and its profile. */
const label = s => [h('span.type', typeOf(s)), nameOf(s) && h('em.type', nameOf(s)), profile(s)]

function range(least, most, unit) {
  const count = n => (unit ? plural(n, unit) : String(n))
  if (most === 0 && unit) return `no ${unit}s`
  if (least === undefined) return most !== undefined && `at most ${count(most)}`
  if (most === undefined) return `at least ${count(least)}`
  return least === most ? `exactly ${count(least)}` : `${least} to ${count(most)}`
}

/** Returns the facts about a schema that fit in a line. */
function facts(s) {
  const values = s.enum && listed(s.enum.map(literal))
  const names = s.propertyNames && view(s.propertyNames)
  const meaning = contract['x-formats']?.[s.format]
  const lines = [
    values &&
      (s.enum.length > 12
        ? lazy('details.part', plural(s.enum.length, 'value'), () => values)
        : ['one of ', values]),
    range(s.minimum, s.maximum),
    range(s.minLength, s.maxLength, 'character'),
    s['x-max-bytes'] && `${range(undefined, s['x-max-bytes'], 'byte')} of UTF-8`,
    range(s.minItems, s.maxItems, 'item'),
    range(s.minProperties, s.maxProperties, 'member'),
    names && ['names of ', range(names.minLength, names.maxLength, 'character') || typeOf(names)],
    s.additionalProperties === false && 'no other members',
    s.pattern && ['matches ', code(s.pattern)],
    s.format && ['format ', code(s.format), meaning && [': ', inline(meaning)]],
    s.default !== undefined && ['default ', literal(s.default)],
    s.examples && ['such as ', listed(s.examples.map(literal))],
    ...Object.entries(s['x-violation'] ?? {}).map(([name, rule]) => [code(name), ` ${rule}`]),
  ].filter(Boolean)
  const defaults = s['x-defaults'] && (() => [sample('Defaults', coloured(pretty(s['x-defaults'])))])
  return [
    lines.length > 0 &&
      h(
        'ul.facts',
        lines.map(line => h('li', line)),
      ),
    defaults && lazy('details.part', 'Default values', defaults),
  ]
}

/** Describes a schema with its limits and parts, collapsed unless `open`. `above` has the enclosing schemas. */
function meaning(s, above = [], open = false) {
  const said = [prose(s.description), facts(s)]
  const inner = [...above, ...s.refs]
  const entries = Object.entries(s.members)
  const parts = entries.map(([name, part]) => ({ name: term(name), part, required: s.needs.includes(name) }))
  if (isMap(s)) parts.push({ name: h('em', 'each value'), part: s.additionalProperties })
  if (s.items && Object.keys(s.items).some(key => key !== 'type'))
    parts.push({ name: h('em', 'each item'), part: s.items })
  if (!parts.length && !s.choices) return said
  if (s.refs.some(ref => above.includes(ref))) return [said, h('p.muted', 'Same structure as above.')]

  const build = () => {
    const members = parts.map(({ name, part, required }) => member(name, view(part), inner, required))
    const variants = s.choices?.map((choice, i) => {
      const variant = view(choice)
      const told = view(variant.members[s['x-discriminator']]).const ?? nameOf(variant)
      return { label: variant.title ?? told ?? `${i + 1}`, build: () => meaning(variant, inner, true) }
    })
    return [
      members.length > 0 && h('ul.members', members),
      variants && h('div.variants', h('p.muted', 'One of these:'), tabs('Variants', variants)),
    ]
  }
  if (open) return [said, build()]
  if (!entries.length && parts.length === 1) {
    const each = view(parts[0].part)
    return [said, lazy('details.part', [parts[0].name, label(each)], () => meaning(each, inner, true))]
  }
  const count = entries.length > 0 && plural(entries.length, 'member')
  const variants = s.choices && plural(s.choices.length, 'variant')
  return [said, lazy('details.part', [count, variants].filter(Boolean).join(', '), build)]
}

function member(name, s, above, required = false) {
  return h('li', h('div.head', name, label(s), needed({ required })), meaning(s, above))
}

// ------------------------------------------------------------------------------------------------ operations

function operationsOf(path, item) {
  const methods = Object.keys(item).filter(method => METHODS.includes(method))
  return methods.map(method => {
    const operation = item[method]
    const {
      operationId: id = slug(`${method}${path}`),
      summary = id,
      description,
      tags: [tag] = ['Other'],
    } = operation
    const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(p => resolve(p))
    const parameters = [...new Map(all.map(p => [`${p.in} ${p.name}`, p])).values()]
    const text = [id, method, path, summary, description, operation['x-permission'], tag]
      .join(' ')
      .toLowerCase()
    const isUnbuilt = '501' in (operation.responses ?? {})
    return { ...operation, id, path, method, tag, summary, text, isUnbuilt, parameters }
  })
}

/** Returns a command that calls an operation. `$KEY` and parameters are variables of the shell. */
function curl(operation, type, example) {
  const variable = name => `$${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`
  const query = operation.parameters.filter(p => p.in === 'query' && p.required)
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name) => variable(name))
  const search = query.map((p, i) => `${i ? '&' : '?'}${p.name}=${variable(p.name)}`).join('')
  const verb = operation.method === 'get' ? '' : `-X ${operation.method.toUpperCase()} `
  const lines = [`curl ${verb}"${location.origin}${path}${search}"`]
  for (const name of Object.keys((operation.security ?? contract.security)?.[0] ?? {})) {
    const scheme = contract.components.securitySchemes[name]
    if (scheme.in === 'header') lines.push(`-H "${scheme.name}: $KEY"`)
  }
  if (type) lines.push(`-H 'Content-Type: ${type}'`, '-d ')
  const body = example === undefined ? '@body.json' : `'${pretty(example).replaceAll("'", "'\\''")}'`
  return [lines.join(' \\\n  '), type && coloured(body)]
}

function requests(operation) {
  const [[type, media = {}] = []] = Object.entries(resolve(operation.requestBody ?? {}).content ?? {})
  const examples = Object.entries(media.examples ?? {}).map(([name, example]) => [name, resolve(example)])
  if (!examples.length) return sample('Request', curl(operation, type))
  const build = ({ summary, value }) => sample(summary ?? 'Request', curl(operation, type, value))
  return tabs(
    'Example requests',
    examples.map(([label, example]) => ({ label, build: () => build(example) })),
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

function content([type, { schema }]) {
  const s = view(schema)
  return [h('div.head', term(type), label(s)), meaning(s, [], true)]
}

function requestBody(given) {
  const body = resolve(given)
  const heading = h('h4', 'Request body ', needed(body))
  return h('section', heading, prose(body.description), Object.entries(body.content).map(content))
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
      bodies.length > 0 ? bodies.map(content) : h('p.muted', 'No body.'),
      examples.map(({ summary = 'Example', value }) => sample(summary, coloured(pretty(value)))),
      headers.length > 0 && [h('h5', 'Headers'), h('ul.members', headers)],
    ]
  })
}

const methodOf = ({ method }) => h(`span.method.${method}`, method.toUpperCase())

function article(operation) {
  const { id, summary, parameters, requestBody: body } = operation
  const anchor = h('a.anchor', { href: `#${id}`, 'aria-label': `Link to ${summary}` }, '#')
  const path = operation.path.split(/(\{[^}]+\})/).map((part, i) => (i % 2 ? h('var', part) : part))
  const columns = ['Parameter', 'Meaning'].map(text => h('th', { scope: 'col' }, text))
  const table = [h('thead', h('tr', columns)), h('tbody', parameters.map(parameter))]
  const text = [
    prose(operation.description),
    callers(operation),
    parameters.length > 0 && h('section', h('h4', 'Parameters'), h('table', table)),
    body && requestBody(body),
    h('section', h('h4', 'Responses'), Object.entries(operation.responses ?? {}).map(response)),
  ]
  const badges = [profile(operation), operation.isUnbuilt && h('span.badge.unbuilt', 'not built yet')]
  return h(
    'article',
    { id, 'aria-labelledby': `${id}-heading` },
    h('header.title', h('h3', { id: `${id}-heading` }, summary), badges, anchor),
    h('p.endpoint', methodOf(operation), h('code.path', path), h('span.muted', id)),
    h('div.columns', h('div.text', text), h('div.samples', requests(operation))),
  )
}

// ------------------------------------------------------------------------------------------------------ page

function introduction() {
  const { title, version, summary = '', description, license } = contract.info
  const link = h('a', { href: '/docs/openapi.json' }, `OpenAPI ${contract.openapi} document`)
  const list = Object.entries({ Version: version, 'This server': code(location.origin), Contract: link })
  if (license) list.push(['License', license.identifier ?? license.name])
  for (const { name, description: use = '' } of Object.values(contract.components?.securitySchemes ?? {})) {
    list.push([
      'Key',
      code(name),
      ' ',
      inline(use),
      ' The commands on this page take it from ',
      code('$KEY'),
      '.',
    ])
  }
  const heading = [h('h1', title), h('p.lead', inline(summary)), h('dl', pairs(list))]
  return h('header', { id: 'introduction' }, heading, h('div.prose', prose(description)))
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

function draw() {
  const all = Object.entries(contract.paths).flatMap(([path, item]) => operationsOf(path, item))
  const described = new Map((contract.tags ?? []).map(tag => [tag.name, tag]))
  const names = new Set([...described.keys(), ...all.map(operation => operation.tag)])
  const sections = [...names].map(name => {
    const operations = all.filter(operation => operation.tag === name)
    return { operations, ...section(described.get(name) ?? { name }, operations) }
  })
  document.title = `${contract.info.title}: API reference`
  $('home').textContent = contract.info.title
  $('content').replaceChildren(introduction(), ...sections.map(({ body }) => body))
  $('nav').replaceChildren(...sections.map(({ list }) => list))
  $('side').hidden = false

  const linkOf = id => $('nav').querySelector(`[href="#${CSS.escape(id)}"]`)
  const filter = text => {
    $('filter').value = text
    const words = text.toLowerCase().split(/\s+/)
    let found = 0
    for (const { operations, body, list } of sections) {
      const hits = operations.filter(operation => words.every(word => operation.text.includes(word)))
      for (const operation of operations) {
        $(operation.id).hidden = linkOf(operation.id).parentElement.hidden = !hits.includes(operation)
      }
      body.hidden = list.hidden = !hits.length
      found += hits.length
    }
    $('introduction').hidden = Boolean(text)
    $('found').textContent = text && `${found} of ${plural(all.length, 'operation')}`
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
  $('filter').addEventListener('input', ({ target }) => filter(target.value.trimStart()))
  $('menu').addEventListener('click', () => openMenu($('menu').getAttribute('aria-expanded') === 'false'))
  $('nav').addEventListener('click', ({ target }) => target.closest('a') && openMenu(false))
  addEventListener('hashchange', follow)
  addEventListener('keydown', event => {
    if (event.key === 'Escape' && event.target === $('filter')) filter('')
    if (event.key !== '/' || event.target === $('filter')) return
    event.preventDefault()
    openMenu(true)
    $('filter').focus()
  })
  trackReading(all, linkOf)
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

try {
  const answer = await fetch('/docs/openapi.json')
  if (!answer.ok) throw new Error(`the server responded with status ${answer.status}`)
  contract = await answer.json()
  draw()
} catch (error) {
  const link = h('a', { href: '/docs/openapi.json' }, 'openapi.json')
  const text = h(
    'p',
    'The contract could not be shown: ',
    error.message,
    '. You can still read it as ',
    link,
    '.',
  )
  $('content').replaceChildren(h('div.notice', { role: 'alert' }, h('h1', 'API reference'), text))
}
