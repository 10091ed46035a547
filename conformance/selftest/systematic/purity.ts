import ts from 'typescript'

/** Functions that only compute a value, by their names. */
const computing =
  /^(is[A-Z]\w*|has|includes|startsWith|endsWith|some|every|test|at|slice|indexOf|lastIndexOf|toLowerCase|toUpperCase|trim|charCodeAt|codePointAt|Number|String|keys|values|entries|split|join|min|max|floor|abs|isArray|hasOwn|filter|map|find|stringify|normalizeContainer|holds\w*|matches)$/

/** True if an alternative can be evaluated beside the code that it would replace, without an effect. */
export function isPure(text: string, node: ts.Node): boolean {
  // A list that is sorted in place is the same before and after.
  if (ts.isCallExpression(node)) return false
  if (/\b(await|yield|new|delete|throw)\b|\+\+|--|[^=!<>]=[^=>]/.test(text)) return false
  return [...text.matchAll(/(\w+)\s*(?:<[^()]*>)?\(/g)].every(([, name = '']) => computing.test(name))
}

/** True if only the truth of a value counts: it is a condition, or a part of one. */
export function isDecision(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node
  if (ts.isConditionalExpression(parent) || ts.isForStatement(parent)) return parent.condition === node
  if (ts.isParenthesizedExpression(parent)) return isDecision(parent)
  if (ts.isPrefixUnaryExpression(parent)) return parent.operator === ts.SyntaxKind.ExclamationToken
  const isJoined =
    ts.isBinaryExpression(parent) &&
    [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken].includes(parent.operatorToken.kind)
  return isJoined && isDecision(parent)
}
