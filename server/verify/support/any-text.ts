import fc from 'fast-check'

/** Text of all characters of Unicode. `fc.string({ unit: 'binary' })` makes a list of all of them first, for a second. */
export const anyText = (length: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), length)
    .map(points => String.fromCodePoint(...points).toWellFormed())
