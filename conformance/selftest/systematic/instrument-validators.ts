import ts from 'typescript'
import type { Instrumented, SourceMutant } from './instrument.ts'
import { switchName } from './instrument.ts'

/**
 * Puts mutants into a validator that ajv made: each check left out, and each limit one more and one less. A validator
 * returns at the first error: `if (broken) { f.errors = [{ keyword, schemaPath }]; return false }`.
 */
export function instrumentValidators(name: string, text: string, first: number): Instrumented {
  const source = ts.createSourceFile(`${name}.js`, text, ts.ScriptTarget.ES2023, true)
  const mutants: SourceMutant[] = []
  const edits: { readonly from: number; readonly to: number; readonly text: string }[] = []
  const counted = new Map<string, number>()
  const isOn = (what: string) => {
    const base = `contract ${name} ${what}`
    const count = (counted.get(base) ?? 0) + 1
    counted.set(base, count)
    mutants.push({ id: count === 1 ? base : `${base} (${count})`, line: 0 })
    return `${switchName}(${first + mutants.length - 1})`
  }
  const visit = (node: ts.Node): void => {
    node.forEachChild(visit)
    if (!ts.isExpressionStatement(node) || !ts.isBlock(node.parent)) return
    const next = node.parent.statements[node.parent.statements.indexOf(node) + 1]
    const rule = next && ts.isReturnStatement(next) ? ruleOf(name, node.getText(source)) : undefined
    if (!rule || !next) return
    const [start, { end }] = [node.getStart(source), next]
    edits.push({ from: start, to: start, text: `if (!${isOn(`${rule} left out`)}) {` })
    edits.push({ from: end, to: end, text: '}' })
    const limit = limitOf(node, source)
    if (!limit) return
    const value = Number(limit.getText(source))
    const others = [value + 1, ...(value > 0 ? [value - 1] : [])]
    const tests = others.map(other => `${isOn(`${rule} ${value} → ${other}`)} ? ${other} : `)
    edits.push({ from: limit.getStart(source), to: limit.end, text: `(${tests.join('')}${value})` })
  }
  visit(source)
  let made = ''
  let at = 0
  for (const edit of edits.sort((a, b) => a.from - b.from)) {
    made += text.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return { text: made + text.slice(at), mutants }
}

/** The rule that a statement reports as broken, by its place in the schema. */
function ruleOf(name: string, statement: string): string | undefined {
  const [, path] = /schemaPath:"([^"]+)"/.exec(statement) ?? []
  const isRule = /\.errors = \[\{/.test(statement) && !/\/(type|discriminator)$/.test(path ?? '')
  return isRule && !neverBroken.some(pattern => pattern.test(`${name} ${path}`)) ? path : undefined
}

/** Rules that no request breaks. */
const neverBroken = [
  // A missing body is refused before, as malformed JSON.
  /^requests\/\S+ #\/required$/,
  // The router has filled the path, and unknown parameters of the query are left out before.
  /^requests\/\S+ #\/properties\/(path|query)\/(required|additionalProperties)$/,
  // The member that discriminates has chosen this alternative.
  /\/oneOf\/\d+\/properties\/attribute\/const$/,
  /^Create\w+Token #\/properties\/type\/const$/,
]

/** The number in the condition of a check of a length, a count or a value. */
function limitOf(node: ts.ExpressionStatement, source: ts.SourceFile): ts.NumericLiteral | undefined {
  const check = node.parent.parent
  if (
    !ts.isIfStatement(check) ||
    check.thenStatement !== node.parent ||
    !/keyword:"(max|min)/.test(node.getText(source))
  )
    return undefined
  let found: ts.NumericLiteral | undefined
  const visit = (inner: ts.Node): void => {
    if (ts.isNumericLiteral(inner)) found ??= inner
    inner.forEachChild(visit)
  }
  visit(check.expression)
  return found
}
