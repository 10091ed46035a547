import type { JsonObject, JsonValue } from '../../base/json/json.ts'
import {
  deepestContainer,
  longestContainer,
  type Refusal,
  type Shot,
  text,
  tooDeepContainer,
  tooLongContainer,
  validation,
} from './refusals.cases.ts'

function application(name: string, bad: JsonObject, good: JsonObject, at: string): Refusal {
  const base = { name: 'Refusals', type: 'private', permissions: ['token:read'] }
  const shot = (more: JsonObject): Shot => ({
    method: 'POST',
    path: '/applications',
    as: 'management',
    body: { ...base, ...more },
  })
  return { name: `application: ${name}`, refused: shot(bad), control: shot(good), at, ...validation }
}

const without = (member: string): JsonObject => ({ [member]: null })
const right = { priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] }

/** A rule as it should be, with some members other than that; those that are undefined are left out. */
function rule(
  name: string,
  bad: Record<string, JsonValue | undefined>,
  at: string,
  good: JsonObject = {},
): Refusal {
  const rules = (more: object) => ({ rules: [JSON.parse(JSON.stringify({ ...right, ...more }))] })
  return application(`rule: ${name}`, rules(bad), rules(good), `rules.0${at}`)
}

const byCondition = (condition: JsonValue) => ({ container: undefined, conditions: [condition] })
const onId = { attribute: 'id', operator: 'equals', value: 'some-id' }
const onContainer = { attribute: 'container', operator: 'starts_with', value: '/a/' }

function condition(name: string, bad: JsonValue, good: JsonValue, at: string): Refusal {
  const rules = (given: JsonValue) => ({
    rules: [JSON.parse(JSON.stringify({ ...right, ...byCondition(given) }))],
  })
  return application(`condition: ${name}`, rules(bad), rules(good), `rules.0.conditions.0${at}`)
}

const times = <T extends JsonValue>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const manyRules = (count: number) => times(count, index => ({ ...right, priority: index + 1 }))

function replaced(name: string, bad: JsonObject, good: JsonObject, at: string): Refusal {
  const shot = (body: JsonObject): Shot => ({
    method: 'PUT',
    path: '/applications/{application}',
    as: 'management',
    body: { name: 'Replaced', permissions: ['token:read'], ...body },
  })
  return { name: `application: put: ${name}`, refused: shot(bad), control: shot(good), at, ...validation }
}

export const applicationRefusals: readonly Refusal[] = [
  application('name null', without('name'), {}, 'name'),
  application('name empty', { name: '' }, { name: 'x' }, 'name'),
  application('name too long', { name: text(201) }, { name: text(200) }, 'name'),
  application('name a number', { name: 1 }, { name: '1' }, 'name'),
  application('type null', without('type'), {}, 'type'),
  application('type that there is not', { type: 'secret' }, { type: 'private' }, 'type'),
  application('nothing held', { permissions: [] }, { permissions: ['token:read'] }, 'permissions'),
  application(
    'nothing held, in words',
    { permissions: null, rules: [] },
    { permissions: null, rules: [right] },
    'permissions',
  ),
  application(
    'permissions no list',
    { permissions: 'token:read' },
    { permissions: ['token:read'] },
    'permissions',
  ),
  application(
    'permission that there is not',
    { permissions: ['token:read', 'token:burn'] },
    { permissions: ['token:read', 'token:use'] },
    'permissions.1',
  ),
  application(
    'public: reading',
    { type: 'public', permissions: ['token:read'] },
    { type: 'public', permissions: ['token:create'] },
    'permissions',
  ),
  application(
    'private: managing',
    { permissions: ['reactor:read'] },
    { permissions: ['token:search'] },
    'permissions',
  ),
  application(
    'management: tokens',
    { type: 'management', permissions: ['token:read'] },
    { type: 'management', permissions: ['log:read'] },
    'permissions',
  ),
  application(
    'management: rules',
    { type: 'management', permissions: ['log:read'], rules: [right] },
    { type: 'management', permissions: ['log:read'], rules: [] },
    'rules.0.permissions',
  ),
  application(
    'public: a rule that reads',
    { type: 'public', permissions: [], rules: [right] },
    { type: 'public', permissions: [], rules: [{ ...right, permissions: ['token:update'] }] },
    'rules.0.permissions',
  ),
  application('expires_at unreadable', { expires_at: 'never' }, { expires_at: '2099-01-01' }, 'expires_at'),
  application('expires_at past', { expires_at: '2020-01-01' }, { expires_at: '2099-01-01' }, 'expires_at'),
  application('rules no list', { rules: right }, { rules: [right] }, 'rules'),
  application(
    'one priority twice',
    { rules: [right, { ...right, container: '/b/' }] },
    { rules: [right, { ...right, container: '/b/', priority: 2 }] },
    'rules.1.priority',
  ),

  application('101 rules', { rules: manyRules(101) }, { rules: manyRules(100) }, 'rules'),
  application(
    '21 permissions',
    { permissions: times(21, () => 'token:read') },
    { permissions: times(20, () => 'token:read') },
    'permissions',
  ),

  rule('no priority', { priority: undefined }, '.priority'),
  rule('priority 0', { priority: 0 }, '.priority'),
  rule('priority a fraction', { priority: 1.5 }, '.priority'),
  rule('priority a text', { priority: '1' }, '.priority'),
  rule('no transform', { transform: undefined }, '.transform'),
  rule('transform that there is not', { transform: 'hide' }, '.transform'),
  rule('no permissions', { permissions: undefined }, '.permissions'),
  rule('permissions empty', { permissions: [] }, '.permissions'),
  rule('permission about reactors', { permissions: ['token:read', 'reactor:read'] }, '.permissions.1'),
  rule('permission about applications', { permissions: ['application:create'] }, '.permissions.0'),
  rule('neither container nor conditions', { container: undefined }, '.container'),
  rule('both container and conditions', { conditions: [onId] }, '.container'),
  rule('container null and no conditions', { container: null }, '.container'),
  rule('container without a slash', { container: '/a' }, '.container'),
  rule('container a number', { container: 1 }, '.container'),
  rule('container of 17 levels', { container: tooDeepContainer }, '.container', {
    container: deepestContainer,
  }),
  rule('container of 251 characters', { container: tooLongContainer }, '.container', {
    container: longestContainer,
  }),
  rule('container of 140,001 levels', { container: `/${'a/'.repeat(140_001)}` }, '.container'),
  rule('21 permissions', { permissions: times(21, () => 'token:read') }, '.permissions', {
    permissions: times(20, () => 'token:read'),
  }),
  rule('11 conditions', { container: undefined, conditions: times(11, () => onId) }, '.conditions', {
    container: null,
    conditions: times(10, () => onId),
  }),
  rule('description a number', { description: 1 }, '.description', { description: '1' }),
  rule('no conditions in the list', { container: undefined, conditions: [] }, '.conditions'),
  rule('conditions no list', { container: undefined, conditions: onId }, '.conditions'),

  condition('attribute that there is not', { ...onId, attribute: 'type' }, onId, '.attribute'),
  condition('id that starts with', { ...onId, operator: 'starts_with' }, onId, '.operator'),
  condition(
    'container by another operator',
    { ...onContainer, operator: 'ends_with' },
    onContainer,
    '.operator',
  ),
  condition('container without a slash', { ...onContainer, value: '/a' }, onContainer, '.value'),
  condition(
    'container of 17 levels',
    { ...onContainer, value: tooDeepContainer },
    { ...onContainer, value: deepestContainer },
    '.value',
  ),
  condition(
    'container of 251 characters',
    { ...onContainer, operator: 'equals', value: tooLongContainer },
    { ...onContainer, operator: 'equals', value: longestContainer },
    '.value',
  ),
  condition('id empty', { ...onId, value: '' }, onId, '.value'),
  condition('no value', { attribute: 'id', operator: 'equals' }, onId, '.value'),
  condition('value a number', { ...onId, value: 1 }, onId, '.value'),

  replaced('name null', { name: null }, {}, 'name'),
  replaced('name too long', { name: text(201) }, { name: text(200) }, 'name'),
  replaced('nothing held', { permissions: [] }, {}, 'permissions'),
  replaced(
    'permission of another kind',
    { permissions: ['log:read'] },
    { permissions: ['token:use'] },
    'permissions',
  ),
  replaced('101 rules', { rules: manyRules(101) }, { rules: manyRules(100) }, 'rules'),
  replaced('one priority twice', { rules: [right, right] }, { rules: [right] }, 'rules.1.priority'),
  replaced('expires_at past', { expires_at: '2020-01-01' }, { expires_at: '2099-01-01' }, 'expires_at'),
]
