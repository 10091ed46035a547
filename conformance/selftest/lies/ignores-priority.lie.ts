import { type Body, type Lie, mishears } from '../tell.ts'

/** Of the rules of an application the last is asked first. */
export const lie: Lie = {
  turns: ['ACC-501.a'],
  tell: mishears('POST', /^\/applications$/, body => ({
    ...body,
    rules: body.rules?.map((rule: Body) => ({ ...rule, priority: 10 - rule.priority })),
  })),
}
