import type { Dice } from '../dice.ts'
import { anyText, word } from './texts.ts'

const bodies: readonly string[] = [
  'return { raw: req.args }',
  'return { raw: { n: Object.keys(req.args ?? {}).length } }',
  'return { tokenize: { type: "token", data: "from a formula" } }',
  'return { tokenize: req.args }',
  'return {}',
  'return undefined',
  'return { raw: Symbol.iterator }',
  'return { raw: 1n }',
  'const a = {}; a.a = a; return { raw: a }',
  'return { raw: JSON.parse("[".repeat(5000) + "]".repeat(5000)) }',
  'return { raw: "x".repeat(6e6) }',
  'return { raw: new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } }) }',
  'return { raw: { get a() { throw new Error("late") } } }',
  'return { raw: { toJSON() { return { ["__proto__"]: 1 } } } }',
  'return { raw: Array.from({ length: 2e5 }, (_, i) => i) }',
  'throw new Error("planned")',
  'throw null',
  'throw { toString() { throw 1 } }',
  'throw new BadRequestError({ a: ["b"] })',
  'throw new RateLimitError(req.args)',
  'throw new CustomHttpResponseError({ status: 418, headers: { "x-a": "b" }, body: { a: 1 } })',
  'throw new CustomHttpResponseError({ status: 204, headers: { "x-\\n": "b" }, body: "x" })',
  'throw new CustomHttpResponseError({ status: 99999, body: 1n })',
  'throw new CustomHttpResponseError({ status: 200, headers: { "content-type": "text/html", "set-cookie": "a=b" }, body: null })',
  'await null; return { raw: await Promise.all([1, 2, 3].map(async n => n * 2)) }',
  'console.log(req.args); console.log("%s".repeat(500)); return { raw: 1 }',
  'setTimeout(() => { throw new Error("late") }, 1); return { raw: 1 }',
  'Promise.reject(new Error("nobody waits")); return { raw: 1 }',
  'return { raw: await req.svc?.tokens?.create?.({ type: "token", data: 1 }) }',
]

const head =
  'const { BadRequestError, RateLimitError, CustomHttpResponseError } = require("@surrogate/formula-errors")\n'

/** Makes the code of a formula that ends by itself. */
export function code(dice: Dice): string {
  const usual = `${head}module.exports = async req => { ${dice.pick(bodies)} }`
  return dice.weighted([
    [6, usual],
    [1, usual.slice(0, dice.int(0, usual.length))],
    [1, usual.replace(dice.pick(['{', ')', '=>', '"', 'module', 'req']), () => anyText(dice))],
    [
      1,
      `module.exports = ${dice.pick(['1', 'null', '{}', 'class {}', 'function* () {}', 'async function* () {}', '/(a/', 'import("fs")'])}`,
    ],
    [
      1,
      dice.pick([
        '',
        ' ',
        '//',
        '/*',
        '`',
        '${',
        '\u2028',
        '#!',
        '<!-- -->',
        'import "fs"',
        'export default 1',
        'await 1',
      ]),
    ],
    [
      1,
      dice
        .list(1, 30, () =>
          dice.pick(['(', ')', '{', '}', '[', ']', '=>', 'x', '1', '`', '${', '"', '/', ';', '.', '?']),
        )
        .join(''),
    ],
  ])
}

/** The formulas that are created before the first case, each with a reactor. */
export const preparedFormulas: readonly { readonly code: string; readonly members: string }[] = [
  {
    code: `${head}module.exports = async req => ({ raw: { got: Object.keys(req.args ?? {}) } })`,
    members: '',
  },
  {
    code: 'module.exports = async req => ({ raw: req.args.number })',
    members:
      ',"request_parameters":[{"name":"number","type":"number"},{"name":"card.number","type":"string","optional":true},{"name":"flag","type":"boolean","optional":true}]',
  },
  { code: 'module.exports = async req => ({ tokenize: req.args })', members: '' },
  ...bodies.map(body => ({ code: `${head}module.exports = async req => { ${body} }`, members: '' })),
]

/** Makes a URL for webhooks on this machine. No mutation may change it. */
export function callbackUrl(dice: Dice): string {
  return dice.pick([
    '@@sink@@',
    '@@sink@@/%7Bx%7D?a=b#c',
    'https://127.0.0.1:1/',
    'http://localhost:1/',
    'http://[::1]:1/',
    'http://0x7f.1:1/',
    'http://2130706433:1/',
    `http://${word(dice)}@127.0.0.1:1/`,
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'javascript:1',
    'https://',
    '//127.0.0.1/',
    '/relative',
    `https://127.0.0.1:1/${'a'.repeat(dice.pick([10, 3000, 70_000]))}`,
  ])
}
