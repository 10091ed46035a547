import ts from 'typescript'
import { alternativesTo } from './alternatives.ts'

export interface Instrumented {
  readonly text: string
  /** Name file, function, place and change, without line numbers: other changes of the file do not change them. */
  readonly mutants: readonly string[]
}

/** The function of the instrumented code that is true for the mutant that is switched on. */
export const switchName = '__mutant'

/**
 * Returns a file with all its mutants in it, each behind a switch, so that one build of the server serves for all.
 * @param first number of the first mutant
 */
export function instrument(file: string, text: string, first: number): Instrumented {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true)
  const mutants: string[] = []
  const counted = new Map<string, number>()

  /** Registers a mutant. Returns the expression that is true while it is switched on. */
  const isOn = (node: ts.Node, what: string): string => {
    const place = node.getText(source).replace(/\s+/g, ' ')
    const base = `${file} ${nameAround(node, source)}: ${shortened(place)} → ${shortened(what)}`
    const count = (counted.get(base) ?? 0) + 1
    counted.set(base, count)
    mutants.push(count === 1 ? base : `${base} (${count})`)
    return `${switchName}(${first + mutants.length - 1})`
  }

  const emit = (node: ts.Node): string => {
    if (isLeftAlone(node)) return node.getFullText(source)
    if (isDroppable(node)) {
      const test = isOn(node, 'left out')
      // In a block of its own, so that an `else` that follows belongs to the same `if` as before.
      return `${leading(node)} { if (!${test}) { ${inner(node)} } }`
    }
    const others = alternativesTo(node, source)
    if (others.length === 0) return leading(node) + inner(node)
    const tests = others.map(({ what, text: other }) => `${isOn(node, what)} ? (${other}) : `)
    return `${leading(node)}(${tests.join('')}(${inner(node)}))`
  }

  /** The text of a node with that of its children instrumented. */
  const inner = (node: ts.Node): string => {
    let made = ''
    let at = node.getStart(source)
    node.forEachChild(child => {
      if (child.getFullStart() > at) made += text.slice(at, child.getFullStart())
      const from = Math.max(at, child.getFullStart())
      const whole = emit(child)
      // The first child begins with the comments that precede its parent, which are written already.
      made += from > child.getFullStart() ? whole.slice(child.getStart(source) - child.getFullStart()) : whole
      at = Math.max(at, child.end)
    })
    return made + text.slice(at, node.end)
  }
  const leading = (node: ts.Node) => text.slice(node.getFullStart(), node.getStart(source))

  return { text: leading(source) + inner(source), mutants }
}

/** True for parts without behaviour of their own: types, imports, and texts of errors. */
function isLeftAlone(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    isTextOfError(node)
  )
}

/** True for the second argument of `new ServiceError(code, text)`, `invalid(path, text)` and `errors.add(path, text)`. */
function isTextOfError(node: ts.Node): boolean {
  const { parent } = node
  if (!parent || !(ts.isNewExpression(parent) || ts.isCallExpression(parent))) return false
  return (
    parent.arguments?.[1] === node && /^(ServiceError|invalid|errors\.add)$/.test(parent.expression.getText())
  )
}

/** True for a call whose result is not used. */
function isDroppable(node: ts.Node): boolean {
  if (!ts.isExpressionStatement(node)) return false
  const expression = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression
  if (!ts.isCallExpression(expression)) return false
  return expression.expression.kind !== ts.SyntaxKind.SuperKeyword
}

/** The name of the function, class or constant around a node. */
function nameAround(node: ts.Node, source: ts.SourceFile): string {
  for (let at = node.parent; at; at = at.parent) {
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name)
      return at.name.getText(source)
    if (ts.isVariableDeclaration(at) && at.parent.parent.parent.kind === ts.SyntaxKind.SourceFile)
      return at.name.getText(source)
    if (ts.isConstructorDeclaration(at)) return 'constructor'
  }
  return 'file'
}

const shortened = (text: string) => (text.length > 80 ? `${text.slice(0, 38)} … ${text.slice(-38)}` : text)
