import { type Body, type Lie, mishears } from '../tell.ts'

/** A rule on a container covers everything. */
export const lie: Lie = {
  turns: ['ACC-502.a', 'ACC-507.a', 'INV-004.a', 'PAG-506.a'],
  tell: mishears('POST', /^\/applications$/, body => ({
    ...body,
    rules: body.rules?.map((rule: Body) => ({ ...rule, container: rule.container && '/' })),
  })),
}
