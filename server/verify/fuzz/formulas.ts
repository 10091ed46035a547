import fc from 'fast-check'
import { anyText, weighted } from './texts.ts'

const bodies: readonly string[] = [
  'return { raw: req.args }',
  'return { tokenize: { type: "token", data: "from a formula" } }',
  'return { tokenize: req.args }',
  'return { raw: Symbol.iterator }',
  'const a = {}; a.a = a; return { raw: a }',
  'return { raw: JSON.parse("[".repeat(5000) + "]".repeat(5000)) }',
  'return { raw: "x".repeat(6e6) }',
  'return { raw: new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } }) }',
  'return { raw: { get a() { throw new Error("late") } } }',
  'return { raw: { toJSON() { return { ["__proto__"]: 1 } } } }',
  'return { raw: Array.from({ length: 2e5 }, (_, i) => i) }',
  'throw { toString() { throw 1 } }',
  'throw new RateLimitError(req.args)',
  'throw new CustomHttpResponseError({ status: 204, headers: { "x-\\n": "b" }, body: "x" })',
  'throw new CustomHttpResponseError({ status: 200, headers: { "content-type": "text/html", "set-cookie": "a=b" }, body: null })',
  'console.log(req.args); console.log("%s".repeat(500)); return { raw: 1 }',
  'setTimeout(() => { throw new Error("late") }, 1); return { raw: 1 }',
  'Promise.reject(new Error("nobody waits")); return { raw: 1 }',
  'return { raw: await req.svc?.tokens?.create?.({ type: "token", data: 1 }) }',
]

const formula = (body: string) =>
  `const { BadRequestError, RateLimitError, CustomHttpResponseError } = require("@surrogate/formula-errors")\nmodule.exports = async req => { ${body} }`

const usual = fc.constantFrom(...bodies.map(formula))
const symbols = '( ) { } [ ] => x 1 ` ${ " / ; . ? // /* #! <!-- --> \u2028 import export await yield class'

/** The code of a formula that ends by itself. */
export const code = weighted(
  [6, usual],
  [1, fc.tuple(usual, fc.nat(200)).map(([made, at]) => made.slice(0, at))],
  [
    1,
    fc
      .tuple(usual, anyText, fc.constantFrom(...'{)>"mr'))
      .map(([made, by, old]) => made.replace(old, () => by)),
  ],
  [
    1,
    fc
      .constantFrom(...'1,null,{},class {},function* () {},/(a/,import("fs")'.split(','))
      .map(made => `module.exports = ${made}`),
  ],
  [1, fc.array(fc.constantFrom(...symbols.split(' ')), { maxLength: 30 }).map(made => made.join(' '))],
)
