import { contract } from './contract.js'
import { h, pretty } from './elements.js'
import { languages, placeholders } from './languages.ts'
import { sdkSample } from './sdk-sample.js'
import { keyHeader } from './send.js'
import { coloured, sample } from './widgets.js'

const place = 'surrogate-docs-language'
const all = { curl: 'curl', client: 'TypeScript', ...languages }

/** The language of all samples of the page. */
let chosen = Object.hasOwn(all, sessionStorage.getItem(place)) ? sessionStorage.getItem(place) : 'curl'

/** The samples of other languages, by language: most readers want one of them. */
const loaded = new Map()

async function load(language) {
  if (!loaded.has(language)) {
    const loading = fetch(`/docs/samples/${language}.json`).then(response => response.json())
    loaded.set(language, loading)
    loading.catch(() => loaded.delete(language))
  }
  return loaded.get(language)
}

/**
 * Shows how to send a request, in the language that was chosen last.
 * @param name of the example in the contract; empty if the operation has none
 */
export function requestSample(operation, type, name, { summary = 'Request', value } = {}) {
  const select = h(
    'select',
    { 'aria-label': `Language of: ${summary}`, onchange: ({ target }) => choose(target.value) },
    Object.entries(all).map(([language, label]) => h('option', { value: language }, label)),
  )
  const figure = sample(summary, h('span', summary), [], select)
  const block = figure.querySelector('code')
  const draw = async () => {
    select.value = chosen
    const language = chosen
    const nodes = await nodesIn(language, operation, type, name, value).catch(error => [String(error)])
    if (language === chosen) block.replaceChildren(...nodes)
  }
  document.addEventListener('language', draw)
  draw()
  return figure
}

function choose(language) {
  chosen = language
  sessionStorage.setItem(place, language)
  document.dispatchEvent(new Event('language'))
}

async function nodesIn(language, operation, type, name, value) {
  if (language === 'curl') return curl(operation, type, value)
  if (language === 'client') return coloured(sdkSample(operation, value), false)
  const code = (await load(language))[operation.id][name]
  const local = code
    .replaceAll(placeholders.origin, location.origin)
    .replaceAll(placeholders.header, keyHeader())
  return coloured(local, false)
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
  return [lines.join(' \\\n  '), ...(type ? coloured(body) : [])]
}
