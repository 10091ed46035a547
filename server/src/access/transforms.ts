/** What a caller sees of a token's data, the strictest first. */
export const transforms = ['redact', 'mask', 'reveal'] as const
export type Transform = (typeof transforms)[number]

// Requirements: ACC-505
export function strictest(a: Transform, b: Transform): Transform {
  return transforms.indexOf(a) < transforms.indexOf(b) ? a : b
}
