import { contract, lookup } from './contract.js'
import { code, h, listed, literal, needed, plural, pretty, profile, term } from './elements.js'
import { inline, prose } from './markdown.js'
import { coloured, lazy, sample, tabs } from './widgets.js'

const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean']

/** Resolves references to a parameter, header, response or example. */
export function resolve(thing, hops = 0) {
  return thing.$ref && hops < 20 ? resolve(lookup(thing.$ref), hops + 1) : thing
}

/** Merges a schema: follows references and allOf; a choice of something or null becomes nullable. */
export function view(schema, into = { refs: [], members: {}, needs: [], nullable: false }) {
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

export const nameOf = s => s.refs[0]?.split('/').at(-1)
const isMap = s => Object.keys(Object(s.additionalProperties)).length > 0

export function typeOf(s) {
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
export const label = s => [h('span.type', typeOf(s)), nameOf(s) && h('em.type', nameOf(s)), profile(s)]

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
  const defaults =
    s['x-defaults'] && (() => [sample('Defaults', h('span', 'Defaults'), coloured(pretty(s['x-defaults'])))])
  return [
    lines.length > 0 &&
      h(
        'ul.facts',
        lines.map(line => h('li', line)),
      ),
    defaults && lazy('details.part', 'Default values', defaults),
  ]
}

/**
 * Describes a schema with its limits and parts, collapsed unless `open`. `above` has the enclosing schemas.
 * @param choice gets a function `show` that selects the variant that a value has
 */
export function meaning(s, above = [], open = false, choice = undefined) {
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
      return { label: variant.title ?? told ?? `${i + 1}`, told, build: () => meaning(variant, inner, true) }
    })
    const control = {}
    const drawn = variants && tabs('Variants', variants, { control })
    if (variants && choice) {
      choice.show = value => {
        const found = variants.findIndex(({ told }) => told === value?.[s['x-discriminator']])
        if (found >= 0) control.select(found)
      }
    }
    return [
      members.length > 0 && h('ul.members', members),
      variants && h('div.variants', h('p.muted', 'One of these:'), drawn),
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

export function member(name, s, above, required = false) {
  return h('li', h('div.head', name, label(s), needed({ required })), meaning(s, above))
}
