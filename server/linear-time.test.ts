// Only at night: it measures time, which depends on the machine.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { isJsonObject, type JsonValue } from './src/base/json/json.ts'
import { formats } from './src/contract/formats.ts'
import { nameFilter } from './src/formulas/name-filter.ts'
import { rewrite } from './src/sandbox/modules/rewrite.ts'
import { MalformedReference, readReferences } from './src/tokens/payloads/references.ts'

/**
 * Measures that work on callers' text grows linearly with its length.
 *
 * A regular expression may take quadratic or exponential time on hostile text. This tests every one that may be
 * applied to callers' text with such texts: a possible beginning, followed by many repetitions of one of its parts.
 */
interface Pattern {
  readonly where: string
  readonly name: string
  readonly run: (text: string) => unknown
  /** The source of the hostile texts. */
  readonly source: string
}

const root = fileURLToPath(new URL('src/', import.meta.url))

/** Folders and files that do not process callers' text, or only in a separate process. */
const unreached: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^(program\/commands|generated)\//, 'not used while requests are served'],
  [/\.(test|cases|model|samples)\.ts$|(^|\/)_[^/]+\.ts$/, 'tests'],
  [/^sandbox\/processes\/empty-root\.ts$/, 'parses the output of the dynamic loader'],
  [/^sandbox\/child\//, "runs in the formula's own process, whose time is limited"],
  [
    /^(options\/\w+|program\/main|testing\/msw|access\/bootstrap|storage\/open|storage\/engines\/postgres\/\w+)\.ts$/,
    "reads the operator's text",
  ],
]

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') yield* sourceFiles(path)
    } else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts')) yield path
  }
}

/** Returns the regular expression literals of a file, and the places where it creates others at run time. */
function patternsIn(path: string): { patterns: Pattern[]; made: string[] } {
  const file = relative(root, path).replaceAll('\\', '/')
  const source = ts.createSourceFile(file, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const patterns: Pattern[] = []
  const made: string[] = []
  const visit = (node: ts.Node): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    if (ts.isRegularExpressionLiteral(node)) patterns.push(literal(`${file}:${line}`, node.text))
    const isMade =
      (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
    if (isMade) made.push(`${file}:${line}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { patterns, made }
}

function literal(where: string, text: string): Pattern {
  const end = text.lastIndexOf('/')
  return ofExpression(where, new RegExp(text.slice(1, end), text.slice(end + 1)))
}

function ofExpression(where: string, expression: RegExp): Pattern {
  const { source, global } = expression
  const run = global
    ? (text: string) => text.replace(expression, '')
    : (text: string) => {
        expression.lastIndex = 0
        return expression.test(text)
      }
  return { where, name: String(expression), run, source }
}

const contract = JSON.parse(readFileSync(new URL('src/generated/openapi.json', import.meta.url), 'utf8'))

/** Returns all values of a keyword in the contract. */
function textsOf(keyword: string, node: JsonValue = contract): string[] {
  if (typeof node !== 'object' || node === null) return []
  const own = isJsonObject(node) ? node[keyword] : undefined
  return [
    ...(typeof own === 'string' ? [own] : []),
    ...Object.values(node).flatMap(child => textsOf(keyword, child)),
  ]
}

// The package does not export its regular expressions; they are tested through its functions.
const { fullFormats } = createRequire(import.meta.url)('ajv-formats/dist/formats.js') as {
  fullFormats: Record<string, RegExp | ((text: string) => boolean) | { validate: (text: string) => boolean }>
}

/** Parts of date-times, URLs and other formats. */
const partsOfFormats = '2030-01-01T00:00:00.5+01:00Z/ a://a@a.b:1/?#%20[::1]{{}}_'

function ofFormat(name: string): Pattern {
  const own = formats[name]
  const known = own ? own.test : fullFormats[name]
  if (known === undefined) throw new Error(`the contract has the format ${name}, which is not checked`)
  if (known instanceof RegExp) return ofExpression(`format ${name}`, known)
  const run = typeof known === 'function' ? known : known.validate
  return { where: `format ${name}`, name: '', run, source: partsOfFormats }
}

const inContract = [...new Set(textsOf('pattern'))].map(pattern =>
  ofExpression('openapi.yaml', new RegExp(pattern, 'u')),
)
const inFormats = [...new Set(textsOf('format'))].map(ofFormat)
const reached = [...sourceFiles(root)].filter(
  path => !unreached.some(([pattern]) => pattern.test(relative(root, path).replaceAll('\\', '/'))),
)
const inSource = reached.map(patternsIn)

/** Returns characters that match the parts of a pattern, in order. */
function atomsOf(source: string): string[] {
  const shorthand: Record<string, string> = {
    d: '0',
    w: 'a',
    s: ' ',
    S: 'a',
    D: 'a',
    W: ' ',
    b: '',
    B: '',
    n: '\n',
    r: '\r',
    t: '\t',
  }
  const atoms: string[] = []
  const part =
    /\\u\{?([0-9a-f]{4,6})\}?|\\x([0-9a-f]{2})|\\[pP]\{[^}]*\}|\\(.)|\(\?(?:<?[=!]|:|<\w+>)|\{\d+(?:,\d*)?\}|[\]()|*+?^$]|(.)/gisu
  for (const [whole, unicode, hex, escaped, plain] of source.matchAll(part)) {
    const code = unicode ?? hex
    if (code !== undefined) atoms.push(String.fromCodePoint(Number.parseInt(code, 16)))
    else if (escaped !== undefined) atoms.push(shorthand[escaped] ?? escaped)
    else if (plain === '.') atoms.push('a')
    else if (plain !== undefined && plain !== '[') atoms.push(plain)
    else if (/^\\p/i.test(whole)) atoms.push('A')
  }
  return atoms.filter(atom => atom !== '')
}

/** Yields texts of this length, for each possible beginning, repeated part and end of the pattern. */
function* hostileTexts(source: string, length: number): Generator<string> {
  const atoms = atomsOf(source)
  const runs = [1, 2, 3, 4].flatMap(size =>
    atoms.map((_, index) => atoms.slice(index, index + size).join('')),
  )
  const made = [...runs, ...atoms.map(atom => atom + atom), atoms.join('')].filter(text => text !== '')
  const pumps = new Set([...made, ...'a0 /{.'])
  const some = [...new Set(atoms)].slice(0, 16)
  const pairs = some.flatMap(first => some.map(second => first + second))
  const beginnings = new Set(['', ...atoms.slice(0, 4).map((_, index) => atoms.slice(0, index + 1).join(''))])
  for (const beginning of beginnings) {
    for (const pump of beginning === '' ? new Set([...pumps, ...pairs]) : pumps) {
      const repeated = pump.repeat(Math.ceil(length / pump.length)).slice(0, length)
      yield beginning + repeated
      yield `${beginning + repeated}\u0001`
    }
  }
}

/** Returns milliseconds of processor time, so that other programs do not count. */
function cost(pattern: Pattern, text: string): number {
  const before = process.cpuUsage()
  pattern.run(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const cheapest = (pattern: Pattern, text: string) => Math.min(...[1, 2, 3].map(() => cost(pattern, text)))

/**
 * Returns a text for which a pattern takes far too long, or `undefined`. Short texts find exponential time. Longer
 * ones take microseconds in linear time and milliseconds in quadratic time; if one takes milliseconds, four times its
 * length may take up to nine times as long, but not sixteen times.
 */
function findHostile(pattern: Pattern): string | undefined {
  for (const text of hostileTexts(pattern.source, 22)) {
    if (cost(pattern, text) > 10 && cheapest(pattern, text) > 10) return text
  }
  const long = hostileTexts(pattern.source, 16_000)
  for (const text of hostileTexts(pattern.source, 4_000)) {
    const fourfold = long.next().value
    if (cost(pattern, text) < 1) continue
    const once = cheapest(pattern, text)
    if (once > 1 && fourfold !== undefined && cost(pattern, fourfold) > 9 * once) return text.slice(0, 40)
  }
  return undefined
}

t.test('control: the texts reveal patterns that are known to be slow', async t => {
  for (const known of [
    /\{\{.*\}\}/s,
    /(a+)+$/,
    /\s+$/,
    /^(\w+\s?)*$/,
    /<!--.*-->/,
    /(?:z|gmt)\s*(?:\(.*\))?$/,
  ])
    t.ok(findHostile(ofExpression('known', known)), String(known))
})

t.test('patterns and formats of the contract take linear time', async t => {
  t.ok(
    inContract.length >= 8 && inFormats.length >= 8,
    `${inContract.length} patterns, ${inFormats.length} formats`,
  )
  for (const pattern of [...inContract, ...inFormats])
    t.equal(findHostile(pattern), undefined, `${pattern.where} ${pattern.name}`)
})

/** Regular expressions that are applied to short text only, with the limit. */
const bounded: Readonly<Record<string, string>> = {
  '/(?:\\b(?:z|gmt|utc|ut)|[+-]\\d{2}:?\\d{2}|\\b[ecmp][sd]t)\\s*(?:\\(.*\\))?$/i':
    'expressions/filters/moment.ts takes dates of at most 64 characters',
}

t.test('regular expressions of the server take linear time', async t => {
  const patterns = inSource.flatMap(one => one.patterns)
  t.ok(patterns.length >= 60, `${patterns.length} regular expressions`)
  for (const pattern of patterns) {
    if (pattern.name in bounded) continue
    t.equal(findHostile(pattern), undefined, `${pattern.where} ${pattern.name}`)
  }
  const found = inSource.flatMap(one => one.made)
  t.same(found, [], 'none is created from text at run time')
})

/** Checks that twenty times the size takes less than a hundred times as long; quadratic time would be 400 times. */
function growsLinearly(t: Test, name: string, run: (size: number) => unknown): void {
  // The least processor time of five, as the machine may have other work, and the process garbage to collect.
  const leastMs = (size: number) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const started = process.cpuUsage()
        run(size)
        return process.cpuUsage(started).user / 1000
      }),
    )
  const [short, long] = [leastMs(2_000), leastMs(40_000)]
  t.ok(long < 100 * Math.max(short, 0.1), `${name}: ${short.toFixed(1)} ms, then ${long.toFixed(1)} ms`)
}

t.test("scans of callers' text take linear time", async t => {
  growsLinearly(t, 'rewriting of code', size => rewrite(`/*import(*/${'f`a`;'.repeat(size)}`))
  growsLinearly(t, 'a filter of names', size => nameFilter('a*'.repeat(size))('a'.repeat(size)))
  for (const crumb of ['{', '}', '{{ abc }}', '{{ abc | upcase }}', "{{ abc | append: '}}' }}"])
    growsLinearly(t, `references of ${crumb}`, size => attempt(() => readReferences(crumb.repeat(size))))
  growsLinearly(t, 'the end of a reference', size =>
    attempt(() => readReferences(`{{ abc }}${'x'.repeat(size)}{{ abc }}`.repeat(5))),
  )
})

/** Runs what may refuse its input. */
function attempt(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof MalformedReference)) throw error
  }
}
