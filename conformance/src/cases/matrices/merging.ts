import { type Cell, matrix } from './cell.ts'

type Row = readonly [name: string, before: unknown, patch: unknown, after: unknown]

/** The examples of RFC 7386, appendix A, as far as data can hold them, and more about null. */
const dataRows: readonly Row[] = [
  ['replace', { a: 'b' }, { a: 'c' }, { a: 'c' }],
  ['add', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  ['remove-all', { a: 'b' }, { a: null }, {}],
  ['remove-one', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  ['remove-none', { a: 'b' }, { c: null }, { a: 'b' }],
  ['text-over-list', { a: ['b'] }, { a: 'c' }, { a: 'c' }],
  ['list-over-text', { a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  ['deep', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  ['deep-remove', { a: { b: 'c', d: 'e' } }, { a: { b: null } }, { a: { d: 'e' } }],
  ['list-over-list', { a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  ['list-with-null', { a: [1] }, { a: [null, 2] }, { a: [null, 2] }],
  ['whole-list', ['a', 'b'], ['c', 'd'], ['c', 'd']],
  ['list-over-object', { a: 'b' }, ['c'], ['c']],
  ['null-stays', { e: null }, { a: 1 }, { e: null, a: 1 }],
  ['object-over-list', [1, 2], { a: 'b', c: null }, { a: 'b' }],
  ['new-member-with-null', { z: 1 }, { a: { bb: { ccc: null } } }, { z: 1, a: { bb: {} } }],
  ['new-member-with-both', { z: 1 }, { a: { b: null, c: 1 } }, { z: 1, a: { c: 1 } }],
  ['object-over-member-text', { a: 'text' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ['object-over-text', 'text', { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ['text-over-object', { a: 'foo' }, 'bar', 'bar'],
  ['text-over-text', 'foo', 'bar', 'bar'],
  ['false-over-true', { a: true }, { a: false }, { a: false }],
  ['zero-and-empty', { a: 1, b: 'x' }, { a: 0, b: '' }, { a: 0, b: '' }],
]

const maskRows: readonly Row[] = [
  ...dataRows.filter(([, before, patch]) => [before, patch].every(isMask)),
  ['expression', { a: 'A' }, { b: '{{ data.a }}' }, { a: 'A', b: '{{ data.a }}' }],
]

const metadataRows: readonly Row[] = [
  ['replace', { a: 'b' }, { a: 'c' }, { a: 'c' }],
  ['add', { a: 'b' }, { c: 'd' }, { a: 'b', c: 'd' }],
  ['remove-one', { a: 'b', c: 'd' }, { a: null }, { c: 'd' }],
  ['remove-none', { a: 'b' }, { c: null }, { a: 'b' }],
  ['remove-and-add', { a: 'b' }, { a: null, c: 'd' }, { c: 'd' }],
  ['same', { a: 'b' }, {}, { a: 'b' }],
]

/** A mask that is a list or a primitive replaces what was there, as data does. */
function isMask(value: unknown): boolean {
  return JSON.stringify(value) !== '{"e":null}'
}

function cells(requirement: string, member: string, rows: readonly Row[]): Cell[] {
  return rows.map(([name, before, patch, after]) => ({
    requirement,
    name,
    title: `${member} is merged as RFC 7386 says: ${name.replaceAll('-', ' ')}`,
    async run(c) {
      const { id } = await c.token({ ...(member === 'data' ? {} : { data: { a: 1 } }), [member]: before })
      const answer = await c.patch(id, { [member]: patch })
      c.equal((await c.read(id))[member], after, member)
      if (member !== 'data') c.equal(answer[member], after, `${member} in the response`)
    },
  }))
}

/** Merge patches of each member that is merged. */
export const mergeCases = matrix([
  ...cells('TOK-048', 'data', dataRows),
  ...cells('TOK-049', 'mask', maskRows),
  ...cells('TOK-050', 'metadata', metadataRows),
])
