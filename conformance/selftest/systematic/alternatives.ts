import ts from 'typescript'

/** Another text for one node of the syntax tree, and what it changes, in words. */
export interface Alternative {
  readonly what: string
  readonly text: string
}

const { SyntaxKind } = ts

const comparisons: Readonly<Partial<Record<ts.SyntaxKind, readonly string[]>>> = {
  [SyntaxKind.LessThanToken]: ['<=', '>='],
  [SyntaxKind.LessThanEqualsToken]: ['<', '>'],
  [SyntaxKind.GreaterThanToken]: ['>=', '<='],
  [SyntaxKind.GreaterThanEqualsToken]: ['>', '<'],
  [SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
  [SyntaxKind.AsteriskToken]: ['/'],
  [SyntaxKind.MinusToken]: ['+'],
}

/** Operators of which either side alone is an alternative. */
const joining = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
])

/** Texts that decide something, and another of their kind. */
const exchanged: Readonly<Record<string, string>> = {
  reveal: 'mask',
  mask: 'reveal',
  redact: 'mask',
  public: 'private',
  private: 'public',
  management: 'private',
  'token:create': 'token:read',
  'token:read': 'token:search',
  'token:update': 'token:read',
  'token:delete': 'token:update',
  'token:search': 'token:read',
  'token:use': 'token:read',
}

/** Methods that may be left out, which leaves their object, or exchanged for another. */
const droppedMethods = new Set(['toLowerCase', 'toUpperCase', 'trim', 'sort', 'reverse', 'filter'])
const exchangedMethods: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
])

/** Returns every other text that an expression is tried with. */
export function alternativesTo(node: ts.Node, source: ts.SourceFile): Alternative[] {
  const textOf = (inner: ts.Node) => inner.getText(source)
  if (isCondition(node)) return conditionAlternatives(node, textOf)
  if (ts.isBinaryExpression(node)) return binaryAlternatives(node, textOf)
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
    return [{ what: 'not turned', text: textOf(node.operand) }]
  if (ts.isNumericLiteral(node)) return isName(node) ? [] : numberAlternatives(node.text)
  if (ts.isStringLiteral(node) && Object.hasOwn(exchanged, node.text) && isValue(node))
    return [{ what: `'${exchanged[node.text]}'`, text: `'${exchanged[node.text]}'` }]
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    if (node.flags & ts.NodeFlags.OptionalChain) return []
    const { name, expression: object } = node.expression
    const other = exchangedMethods.get(name.text)
    const rest = node.arguments.map(textOf).join(', ')
    if (other) return [{ what: other, text: `${textOf(object)}.${other}(${rest})` }]
    if (droppedMethods.has(name.text)) return [{ what: `no ${name.text}`, text: textOf(object) }]
  }
  return []
}

/** True if the node decides between two ways: the condition of an `if`, a `?:` or the result of a check. */
function isCondition(node: ts.Node): node is ts.Expression {
  const { parent } = node
  if (ts.isIfStatement(parent)) return parent.expression === node
  return ts.isConditionalExpression(parent) && parent.condition === node
}

function conditionAlternatives(node: ts.Expression, textOf: (inner: ts.Node) => string): Alternative[] {
  const turned = { what: 'turned', text: `!(${textOf(node)})` }
  const skipped = { what: 'never', text: 'false' }
  if (!ts.isBinaryExpression(node)) return [turned, skipped]
  const { kind } = node.operatorToken
  const isEquality =
    kind === SyntaxKind.EqualsEqualsEqualsToken || kind === SyntaxKind.ExclamationEqualsEqualsToken
  return isEquality ? [turned, skipped] : [skipped, ...binaryAlternatives(node, textOf)]
}

function binaryAlternatives(
  { left, operatorToken: { kind }, right }: ts.BinaryExpression,
  textOf: (inner: ts.Node) => string,
): Alternative[] {
  if (joining.has(kind))
    return [left, right].map((side, index) => ({
      what: index === 0 ? 'left side' : 'right side',
      text: textOf(side),
    }))
  return (comparisons[kind] ?? []).map(operator => ({
    what: operator,
    text: `${textOf(left)} ${operator} ${textOf(right)}`,
  }))
}

function numberAlternatives(text: string): Alternative[] {
  const value = Number(text.replaceAll('_', ''))
  if (!Number.isSafeInteger(value)) return []
  const others = value === 0 ? [1] : [value + 1, value - 1]
  return others.map(other => ({ what: String(other), text: String(other) }))
}

/** True for the name of a member, as in `{ 404: 'Not Found' }` and `const { 0: first } = list`. */
function isName(node: ts.NumericLiteral): boolean {
  const { parent } = node
  if (ts.isPropertyAssignment(parent)) return parent.name === node
  return ts.isBindingElement(parent) && parent.propertyName === node
}

/** False for names of members, types and modules. */
function isValue(node: ts.StringLiteral): boolean {
  const { parent } = node
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false
  return !(ts.isLiteralTypeNode(parent) || ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent))
}
