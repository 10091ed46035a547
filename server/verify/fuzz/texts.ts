import fc from 'fast-check'

export const weighted = <T>(...choices: readonly (readonly [weight: number, fc.Arbitrary<T>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Joins texts and values, as in: text`/tokens/${fc.uuid()}` */
export const text = (strings: TemplateStringsArray, ...parts: readonly fc.Arbitrary<unknown>[]) =>
  fc.tuple(...parts).map(made => String.raw({ raw: strings }, ...made))

/** A text that is repeated, such as up to a limit and beyond it. */
export const repeated = (piece: string, ...counts: readonly number[]) =>
  fc.constantFrom(...counts).map(count => piece.repeat(count))

/** Any JSON. Parts that only a text can express are made by `spelled`. */
export type Json = string | number | boolean | null | readonly Json[] | JsonMembers
export interface JsonMembers {
  readonly [member: string]: Json
}

export const isMembers = (value: Json | undefined): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** JSON in exactly this spelling, valid or not: a number beyond a double, a lone surrogate, a repeated name. */
export const spelled = (json: string): string => `\ue000${json}\ue001`

export function writeJson(value: Json): string {
  return JSON.stringify(value).replaceAll(/"\ue000(.*?)\ue001"/g, (_, json) => JSON.parse(`"${json}"`))
}

const awkwardTexts =
  '| |\u0000|a\u0000b|\u001f\u007f|\ufeff|\u2028\u2029|\u202eabc|İıſK|e\u0301|👩‍👩‍👧‍👦|null|undefined|NaN|0|-0|1e999|../../etc/passwd|%00|%2e%2e%2f|{{|}}|{{ }}|{{ data }}|{% if %}|{{{{data}}}}|$ref|$&$1$`|[object Object]|\'; DROP TABLE tokens; --|\\|"|\r\n|<script>|__proto__|constructor|toString'.split(
    '|',
  )

/** Spellings of numbers, most of which a double cannot represent. */
export const awkwardNumbers: readonly string[] = [
  ...'-0 0.0 -0.0 1E5 1e+5 1.0 100000000000000000000 9007199254740992 9007199254740993 -9007199254740993'.split(
    ' ',
  ),
  ...'0.30000000000000001 0.1000000000000000055511151231257827 1e308 1e309 -1e309 5e-324 1e-400 01 +1'.split(
    ' ',
  ),
  ...'.5 5. 0x10 1_000 NaN Infinity'.split(' '),
  ...[`1${'0'.repeat(400)}`, `0.${'0'.repeat(400)}1`, `1e${'9'.repeat(50)}`],
]

/** Spellings of texts that are unusual, or not JSON. */
export const awkwardSpellings: readonly string[] =
  `"\\ud800" "\\udc00\\ud800" "a\\ud83d" "\\u0000" "\\/" "\u007f" "\\x" "tab\tinside" 'single'`.split(' ')

export const word = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 3,
  maxLength: 12,
})

export const anyText = weighted(
  [4, word],
  [3, fc.string({ unit: 'grapheme', maxLength: 30 })],
  [1, fc.string({ unit: 'binary', maxLength: 20 })],
  [3, fc.constantFrom(...awkwardTexts, 'a'.repeat(300), 'é'.repeat(400))],
)

const anyNumber: fc.Arbitrary<Json> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(...awkwardNumbers.map(spelled)),
)

/** Any JSON with a marked value, see `marker`. If strict, without parts that the server may refuse. */
export function anyJson(strict: boolean): fc.Arbitrary<Json> {
  const name = strict ? word : anyText
  const { json } = fc.letrec<{ json: Json }>(tie => ({
    json: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      weighted<Json>(
        [2, fc.constant(marker)],
        [2, name],
        [2, strict ? fc.integer({ min: -1000, max: 1000 }) : anyNumber],
        [1, fc.boolean()],
      ),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(name, tie('json'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  return json
}

/** A sensitive value: a text that must never appear in a problem or in a log. */
export const marker = 'zq7canary0815'
