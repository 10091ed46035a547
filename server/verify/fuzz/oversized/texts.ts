import type { Loose } from '../json-text.ts'
import { filled, json, list, most, type Oversized } from './shape.ts'

const sizes = [2_000, 25_000, 140_000, 500_000, most]
const pieces = [
  '{',
  '}',
  '{{',
  '}}',
  '{{ ',
  '{%',
  '{{a}}',
  '{{ a | ',
  ' ',
  'a',
  '/',
  'a/',
  '/a/',
  '-',
  '0',
  '0-',
  '[',
  '(',
  '"',
  "'",
  '\\',
  '.',
  'a.',
  '_',
  '+',
  '=',
  'A',
  '\u0000',
  'é',
  '🙂',
  '%',
  '|',
]

/** Members of bodies that are texts, by operation. */
const textMembers: readonly (readonly [operation: string, path: string, body: (text: string) => Loose])[] = [
  ['tokens.create', 'id', id => ({ id, type: 'token', data: 'x' })],
  ['tokens.create', 'type', type => ({ type, data: 'x' })],
  ['tokens.create', 'data', data => ({ type: 'token', data })],
  ['tokens.create', 'card number', number => ({ type: 'card', data: { number } })],
  ['tokens.create', 'identity number', data => ({ type: 'social_security_number', data })],
  ['tokens.create', 'routing number', data => ({ type: 'us_bank_routing_number', data })],
  ['tokens.create', 'mask', mask => ({ type: 'token', data: 'x', mask })],
  ['tokens.create', 'a container', container => ({ type: 'token', data: 'x', containers: [container] })],
  [
    'tokens.create',
    'ten containers',
    container => ({
      type: 'token',
      data: 'x',
      containers: list(10, index => `/${index}/${container}`.slice(0, 100_000)),
    }),
  ],
  ['tokens.create', 'metadata', text => ({ type: 'token', data: 'x', metadata: { k: text } })],
  ['tokens.create', 'name of metadata', text => ({ type: 'token', data: 'x', metadata: { [text]: 'v' } })],
  ['tokens.create', 'search index', text => ({ type: 'token', data: 'x', search_indexes: [text] })],
  ['tokens.create', 'fingerprint', text => ({ type: 'token', data: 'x', fingerprint_expression: text })],
  ['tokens.create', 'expiry', text => ({ type: 'token', data: 'x', expires_at: text })],
  [
    'tokens.create',
    'expiry after a date',
    text => ({ type: 'token', data: 'x', expires_at: `2090-01-01T00:00:00.${text}` }),
  ],
  [
    'tokens.create',
    'name of a member',
    text => ({ type: 'card', data: { number: '4242424242424242', [text]: 1 } }),
  ],
  ['tokens.search', 'query', query => ({ query })],
  ['tokens.search', 'start', start => ({ start })],
  ['tokenize', 'a payload', text => [text, { type: 'token', data: text, id: text }]],
  ['detokenize', 'a payload', text => [text]],
  ['reactorFormulas.create', 'code', code => ({ name: 'F', type: 'private', code })],
  ['reactorFormulas.create', 'name', name => ({ name, type: 'private', code: 'x' })],
  [
    'reactorFormulas.create',
    'icon',
    icon => ({ name: 'F', type: 'private', code: 'x', icon: `data:image/png;base64,${icon}` }),
  ],
  [
    'reactorFormulas.create',
    'name of a setting',
    name => ({ name: 'F', type: 'private', code: 'x', configuration: [{ name, type: 'string' }] }),
  ],
  [
    'reactorFormulas.create',
    'name of a parameter',
    name => ({ name: 'F', type: 'private', code: 'x', request_parameters: [{ name, type: 'string' }] }),
  ],
  ['reactors.create', 'formula', id => ({ name: 'R', configuration: {}, formula: { id } })],
  [
    'reactors.create',
    'configuration',
    text => ({ name: 'R', configuration: { a: text }, formula: { id: '@@formula.0@@' } }),
  ],
  [
    'applications.create',
    'container of a rule',
    container => ({
      name: 'A',
      type: 'private',
      rules: [{ priority: 1, container, transform: 'mask', permissions: ['token:read'] }],
    }),
  ],
  [
    'applications.create',
    'condition of a rule',
    value => ({
      name: 'A',
      type: 'private',
      rules: [
        {
          priority: 1,
          conditions: [{ attribute: 'container', operator: 'starts_with', value }],
          transform: 'mask',
          permissions: ['token:read'],
        },
      ],
    }),
  ],
  [
    'applications.create',
    'expiry',
    text => ({ name: 'A', type: 'private', permissions: ['token:read'], expires_at: text }),
  ],
  ['sessions.authorize', 'nonce', nonce => ({ nonce, permissions: ['token:read'] })],
  ['reactors.react', 'args', args => ({ args })],
  ['reactors.react', 'an argument', text => ({ args: { number: 1, card: { number: text } } })],
  ['reactors.react', 'callback URL', text => ({ args: {}, callback_url: `https://127.0.0.1:1/${text}` })],
]

export const texts: readonly Oversized[] = textMembers.map(([operation, path, body]) => ({
  title: `a long text as ${path}`,
  operation,
  make: dice => ({ body: json(body(filled(dice.pick(pieces), dice.pick(sizes)))) }),
}))
