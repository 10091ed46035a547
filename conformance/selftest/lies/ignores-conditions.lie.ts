import { type Body, type Lie, mishears } from '../tell.ts'

/** A rule by conditions covers everything. */
export const lie: Lie = {
  turns: ['ACC-503.a'],
  tell: mishears('POST', /^\/applications$/, body => ({
    ...body,
    rules: body.rules?.map((rule: Body) =>
      rule.conditions ? { ...rule, conditions: undefined, container: '/' } : rule,
    ),
  })),
}
