/** The rules of tokens: their types, and what a valid one looks like. Keeps everything in memory, unencrypted. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { check, Invalid, isObject, isPath, isText, listOfTexts } from './checks.mjs'
import { evaluated, masked } from './expressions.mjs'

const onlyHas = (data, names) => Object.keys(data).every(name => names.includes(name))

/** A type whose data is a number of so many digits, written with hyphens or without. */
const digits = (containers, pattern) => ({
  containers,
  fingerprint: "{{ data | remove: '-' }}",
  mask: '{{ data | reveal_last4 }}',
  check: data => check(isText(data) && pattern.test(data), 'data'),
})

const types = {
  social_security_number: digits(['/persons/'], /^\d{3}-?\d{2}-?\d{4}$/),
  employer_id_number: digits(['/persons/'], /^\d{2}-?\d{7}$/),
  card_number: digits(['/cards/'], /^\d{12,19}$/),
  token: { containers: ['/general/'], fingerprint: '{{ data | stringify }}', check() {} },
  card: {
    containers: ['/cards/'],
    fingerprint: '{{ data.number }}',
    mask: { number: '{{ data.number | reveal_last4 }}' },
    check(data) {
      check(isObject(data) && isText(data.number) && /^\d{12,19}$/.test(data.number), 'data.number')
      check(onlyHas(data, ['number', 'expiration_month', 'expiration_year', 'cvc']), 'data')
      const { expiration_month: month = 1, expiration_year: year = 2000, cvc = '000' } = data
      check(Number.isInteger(month) && month >= 1 && month <= 12, 'data.expiration_month')
      check(Number.isInteger(year) && year >= 1000 && year <= 9999, 'data.expiration_year')
      check(isText(cvc) && /^\d{3,4}$/.test(cvc), 'data.cvc')
    },
  },
  bank: {
    containers: ['/banks/'],
    fingerprint: '{{ data.account_number }}|{{ data.routing_number }}',
    mask: { account_number: '{{ data.account_number | reveal_last4 }}' },
    check(data) {
      check(isObject(data) && onlyHas(data, ['routing_number', 'account_number']), 'data')
      const { routing_number: routing, account_number: account } = data
      check(isText(routing) && /^\d{9}$/.test(routing), 'data.routing_number')
      const sum = [...routing].reduce((all, digit, index) => all + Number(digit) * [3, 7, 1][index % 3], 0)
      check(sum % 10 === 0, 'data.routing_number: checksum')
      check(isText(account) && /^\d{1,17}$/.test(account), 'data.account_number')
    },
  },
}

/** RFC 7386. */
export function mergePatch(target, patch) {
  if (!isObject(patch)) return patch
  const merged = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}

/** Returns an expiry as ISO 8601. Without an offset it is UTC; a date alone is its midnight. */
function expiryOf(given) {
  if (given === undefined || given === null) return undefined
  check(isText(given), 'expires_at')
  const isLocal = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(given)
  const ms = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(isLocal ? `${given}Z` : given) : Number.NaN
  check(ms > Date.now(), 'expires_at: a date in the future, such as 2099-01-31T09:30:00Z')
  return new Date(ms).toISOString()
}

const secret = randomBytes(32)

/** Returns the members of a token that callers set, complete and valid. */
export function validated(given) {
  const type = Object.hasOwn(types, given.type) ? types[given.type] : undefined
  check(type, 'type')
  check(given.data !== undefined && given.data !== null, 'data')
  type.check(given.data)
  const { metadata, search_indexes, containers = type.containers, mask = type.mask } = given
  const expression = given.fingerprint_expression ?? type.fingerprint
  check(metadata === undefined || (isObject(metadata) && Object.values(metadata).every(isText)), 'metadata')
  check(listOfTexts(containers) && containers.every(isPath), 'containers')
  check(search_indexes === undefined || listOfTexts(search_indexes), 'search_indexes')
  check(isText(expression), 'fingerprint_expression')
  const { type: name, data } = given
  try {
    masked(mask, data)
    const identity = JSON.stringify([name, evaluated(expression, data)])
    const fingerprint = createHmac('sha256', secret).update(identity).digest('base64url')
    const own = { type: name, data, mask, containers, metadata, search_indexes, fingerprint }
    return { ...own, fingerprint_expression: expression, expires_at: expiryOf(given.expires_at) }
  } catch (error) {
    throw error instanceof Invalid ? error : new Invalid('an expression cannot be evaluated')
  }
}

/** Returns the id that a creator supplied, as a value or an expression, or a new UUID. */
export function idFor({ id, data }) {
  if (id === undefined || id === null) return randomUUID()
  check(isText(id), 'id')
  const value = String(evaluated(id, data))
  check(/^[\w.-]{3,400}$/.test(value), 'id')
  return value
}

/** Returns a token as a response shows it under a transform: whole, masked, without data, or without what tells of them. */
export function shown(token, transform) {
  if (transform === 'reveal') return token
  const { data, ...rest } = token
  if (transform === 'mask' && token.mask !== undefined) return { ...rest, data: masked(token.mask, data) }
  if (transform !== undefined) return rest
  const { mask, metadata, search_indexes, fingerprint_expression, ...known } = rest
  return known
}
