import {
  type Body,
  changeRequest,
  changeResponse,
  failing,
  listOrSearch,
  type Mutant,
  type Mutants,
  token,
  tokens,
} from '../mutate.ts'

type Change = (text: string) => string

/** Changes every text of a value. */
function everyText(value: Body, change: Change): Body {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => everyText(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, everyText(inner, change)]))
}

/** Changes every member of every object of a value; without a result it is dropped. */
function everyMember(value: Body, keeps: (inner: Body, name: string, index: number) => boolean): Body {
  if (Array.isArray(value)) return value.map(item => everyMember(item, keeps))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner], index) => keeps(inner, name, index))
      .map(([name, inner]) => [name, everyMember(inner, keeps)]),
  )
}

const rounded = (data: Body): Body =>
  JSON.parse(
    JSON.stringify(data, (_name, inner) =>
      typeof inner === 'number' ? Math.round(inner * 1e6) / 1e6 : inner,
    ),
  )

const isEmpty = (value: Body) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Stores data changed, in each write of a token. */
const stored =
  (change: (data: Body) => Body): Mutant['change'] =>
  (next, target) => {
    const changed = (body: Body) => ('data' in (body ?? {}) ? { ...body, data: change(body.data) } : body)
    return changeRequest(
      'POST',
      tokens,
      changed,
    )(changeRequest('PATCH', token, changed)(next, target), target)
  }

const storedText = (change: Change) => stored(data => everyText(data, change))

/** Shows the tokens of lists and searches changed. */
const listed = (path: RegExp, change: (one: Body) => Body): Mutant['change'] =>
  changeResponse('GET|POST', path, body =>
    Array.isArray(body?.data) && body.pagination ? { ...body, data: body.data.map(change) } : body,
  )

const withData = (one: Body, change: (data: Body) => Body) =>
  'data' in one ? { ...one, data: change(one.data) } : one
const cut = (length: number) => (text: string) => text.slice(0, length)

/** Mutants that return something else than they were sent. */
export const fidelityMutants: Mutants = {
  // A column holds 255 characters.
  'cuts-texts-at-255': failing('DAT-010.get-text-of-256').by(storedText(cut(255))),
  'cuts-texts-at-400000': failing('WIR-543.get-text-of-500000').by(storedText(cut(400_000))),
  'trims-texts': failing('DAT-010.get-blanks').by(storedText(text => text.trim())),
  'escapes-markup': failing('DAT-010.get-markup').by(
    storedText(text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
  ),
  'composes-characters': failing('DAT-010.get-decomposed').by(storedText(text => text.normalize('NFC'))),
  'drops-empty-members': failing('DAT-010.get-nested-empties').by(
    stored(data => everyMember(data, inner => !isEmpty(inner))),
  ),
  'rounds-to-six-decimals': failing('DAT-010.get-decimals').by(stored(rounded)),
  'integers-as-floats-in-lists': failing('DAT-010.list-large-integers', 'DAT-010.search-large-integers').by(
    listed(listOrSearch, one =>
      withData(one, data =>
        JSON.parse(
          JSON.stringify(data, (_name, inner) =>
            Number.isInteger(inner) ? Number(inner.toPrecision(12)) : inner,
          ),
        ),
      ),
    ),
  ),
  'drops-null-members': failing('DAT-010.get-null-inside').by(
    stored(data => everyMember(data, inner => inner !== null)),
  ),
  'tokenize-drops-null': failing('WIR-543.tokenize-null-inside').changeRequest('POST', /^\/tokenize$/, body =>
    everyMember(body, inner => inner !== null),
  ),
  'keeps-50-members': failing('DAT-010.get-many-members').by(
    stored(data => everyMember(data, (_inner, _name, index) => index < 50)),
  ),
  'sorts-lists': failing('DAT-010.get-order-of-lists').by(
    stored(data =>
      JSON.parse(JSON.stringify(data, (_name, inner) => (Array.isArray(inner) ? [...inner].sort() : inner))),
    ),
  ),
  'detokenizes-trimmed': failing('WIR-543.detokenize-blanks').changeResponse('POST', /^\/detokenize$/, body =>
    everyText(body, text => text.trim()),
  ),
  'patches-trimmed': failing('DAT-010.patch-blanks').changeRequest('PATCH', token, body =>
    'data' in (body ?? {})
      ? { ...body, data: everyText(body.data, text => text.replace(/^ +| +$/g, '')) }
      : body,
  ),
  'containers-sorted': failing('TOK-053.containers').changeRequest(
    'POST|PATCH',
    /^\/tokens(\/(?!search)[^/]+)?$/,
    body => (Array.isArray(body?.containers) ? { ...body, containers: [...body.containers].sort() } : body),
  ),
}
