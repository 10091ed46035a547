import type { JsonObject, JsonValue } from '../../base/json/json.ts'
import {
  deepestContainer,
  longestContainer,
  type Refusal,
  text,
  tooDeepContainer,
  tooLongContainer,
  validation,
} from './refusals.cases.ts'

/** Members that a token of any type may be created with. */
const entries = (count: number, value: JsonValue = 'v'): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
const times = (count: number, value: JsonValue): JsonValue[] => Array.from({ length: count }, () => value)

/** A new token of type `token` with other members than it should have. */
function member(name: string, bad: JsonObject, good: JsonObject, at: string): Refusal {
  const shot = (more: JsonObject) => ({
    method: 'POST',
    path: '/tokens',
    body: { type: 'token', data: { there: 'value' }, ...more },
  })
  return { name, refused: shot(bad), control: shot(good), at, ...validation }
}

const without = (member: string): JsonObject => ({ [member]: undefined as unknown as null })
const [past, future] = ['2020-01-01', '2099-01-01']
const forbidden = [...'#/\\+?[]|&=%<>{}^', '\u0000', '\u007f']

export const memberRefusals: readonly Refusal[] = [
  member('no type', without('type'), {}, 'type'),
  member('type null', { type: null }, { type: 'token' }, 'type'),
  member('type that there is not', { type: 'tokens' }, { type: 'token' }, 'type'),
  member('type in another case', { type: 'Token' }, { type: 'token' }, 'type'),
  member('type a number', { type: 1 }, { type: 'token' }, 'type'),
  member('no data', without('data'), {}, 'data'),
  member('data null', { data: null }, { data: false }, 'data'),

  member('id too short', { id: 'ab' }, { id: 'abc' }, 'id'),
  member('id too long', { id: text(401) }, { id: text(400) }, 'id'),
  member(
    'id that is the data',
    { id: 'jane-roe', data: 'Jane Roe' },
    { id: 'jane-roe', data: 'Jane Doe' },
    'id',
  ),
  member('id empty', { id: '' }, { id: 'not-empty' }, 'id'),
  member('id a number', { id: 12345 }, { id: '12345' }, 'id'),
  ...forbidden.map((character, index) =>
    member(
      `id with ${JSON.stringify(character)}`,
      { id: `a${character}b${index}` },
      { id: `a-b${index}` },
      'id',
    ),
  ),
  member('id expression that fails', { id: '{{ data.there | nope }}' }, { id: '{{ data.there }}' }, 'id'),
  member(
    'id expression that gives no id',
    { id: '{{ data.gone }}' },
    { id: '{{ data.there | last4 }}' },
    'id',
  ),

  member('containers no list', { containers: '/a/' }, { containers: ['/a/'] }, 'containers'),
  member('containers empty', { containers: [] }, { containers: ['/a/'] }, 'containers'),
  member('11 containers', { containers: times(11, '/a/') }, { containers: times(10, '/a/') }, 'containers'),
  ...(
    [
      ['without the first slash', 'a/b/'],
      ['without the last slash', '/a/b'],
      ['empty', ''],
      ['with an empty segment', '/a//b/'],
      ['with a space', '/a b/'],
      ['with a dot', '/a.b/'],
      ['with a star', '/a/*'],
      ['with a letter beyond ASCII', '/ä/'],
      ['with a line break at its end', '/a/b/\n'],
      ['a number', 1],
    ] as const
  ).map(([name, path]) =>
    member(
      `container ${name}`,
      { containers: ['/x/', path] },
      { containers: ['/x/', '/a/b/'] },
      'containers.1',
    ),
  ),

  ...(
    [
      ['of 17 levels', tooDeepContainer, deepestContainer],
      ['of 251 characters', tooLongContainer, longestContainer],
      ['of 70,001 levels', `/${'a/'.repeat(70_001)}`, '/a/'],
      ['of 140,000 characters without a slash behind them', `/${text(140_000)}`, '/a/'],
    ] as const
  ).map(([name, bad, good]) =>
    member(`container ${name}`, { containers: [bad] }, { containers: [good] }, 'containers.0'),
  ),

  member('metadata no object', { metadata: ['a'] }, { metadata: { a: 'a' } }, 'metadata'),
  member('51 metadata entries', { metadata: entries(51) }, { metadata: entries(50) }, 'metadata'),
  member(
    'metadata key too long',
    { metadata: { [text(101)]: '' } },
    { metadata: { [text(100)]: '' } },
    'metadata',
  ),
  member('metadata key empty', { metadata: { '': 'v' } }, { metadata: { k: 'v' } }, 'metadata'),
  member(
    'metadata value too long',
    { metadata: { k: text(1001) } },
    { metadata: { k: text(1000) } },
    'metadata.k',
  ),
  member('metadata value a number', { metadata: { k: 1 } }, { metadata: { k: '1' } }, 'metadata.k'),
  member('metadata value null', { metadata: { k: null } }, { metadata: { k: 'null' } }, 'metadata.k'),
  member('metadata value an object', { metadata: { k: {} } }, { metadata: { k: '{}' } }, 'metadata.k'),

  member(
    'search indexes no list',
    { search_indexes: '{{ data.there }}' },
    { search_indexes: ['{{ data.there }}'] },
    'search_indexes',
  ),
  member(
    '11 search indexes',
    { search_indexes: times(11, '{{ data.there }}') },
    { search_indexes: times(10, '{{ data.there }}') },
    'search_indexes',
  ),
  member('search index a number', { search_indexes: [1] }, { search_indexes: ['1'] }, 'search_indexes.0'),
  member(
    'search index that gives null',
    { search_indexes: ['a', '{{ data.gone }}'] },
    { search_indexes: ['a', '{{ data.there }}'] },
    'search_indexes.1',
  ),
  member(
    'search index that gives an empty text',
    { search_indexes: ["{{ '' }}"] },
    { search_indexes: ["{{ 'a' }}"] },
    'search_indexes.0',
  ),
  member(
    'search index that gives an object',
    { search_indexes: ['{{ data }}'] },
    { search_indexes: ['{{ data.there }}'] },
    'search_indexes.0',
  ),
  member(
    'search index that fails',
    { search_indexes: ['{{ data.there | nope }}'] },
    { search_indexes: ['{{ data.there | last4 }}'] },
    'search_indexes.0',
  ),
  member(
    'search index that does not parse',
    { search_indexes: ['{{ data.there'] },
    { search_indexes: ['{{ data.there }}'] },
    'search_indexes.0',
  ),

  member(
    'mask that fails',
    { mask: '{{ data.there | nope }}' },
    { mask: '{{ data.there | last4 }}' },
    'mask',
  ),
  member(
    'mask member that fails',
    { mask: { a: [1, '{{ data.there | nope }}'] } },
    { mask: { a: [1, '{{ data.there | last4 }}'] } },
    'mask.a.1',
  ),
  member('mask that does not parse', { mask: '{{ data.there' }, { mask: '{{ data.there }}' }, 'mask'),
  member(
    'fingerprint expression that fails',
    { fingerprint_expression: '{{ data | nope }}' },
    { fingerprint_expression: '{{ data | stringify }}' },
    'fingerprint_expression',
  ),
  member(
    'fingerprint expression a number',
    { fingerprint_expression: 1 },
    { fingerprint_expression: '1' },
    'fingerprint_expression',
  ),
  member(
    'deduplicate_token a text',
    { deduplicate_token: 'true' },
    { deduplicate_token: false },
    'deduplicate_token',
  ),

  member('expires_at unreadable', { expires_at: 'tomorrow' }, { expires_at: future }, 'expires_at'),
  member('expires_at past', { expires_at: past }, { expires_at: future }, 'expires_at'),
  member('expires_at a number', { expires_at: 4070908800 }, { expires_at: future }, 'expires_at'),
  member(
    'expires_at no day of the calendar',
    { expires_at: '2099-02-29' },
    { expires_at: '2099-02-28' },
    'expires_at',
  ),
  member(
    'expires_at with the day first',
    { expires_at: '31/12/2099' },
    { expires_at: '12/31/2099' },
    'expires_at',
  ),
  member(
    'expires_at at 24 hours',
    { expires_at: '2099-01-01T24:00:00Z' },
    { expires_at: '2099-01-01T23:00:00Z' },
    'expires_at',
  ),
]
