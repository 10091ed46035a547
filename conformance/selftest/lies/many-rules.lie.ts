import { type Lie, mishears } from '../tell.ts'

/** Of a list of rules that is too long, the first 100 count. */
export const lie: Lie = {
  turns: ['ACC-533.a'],
  tell: mishears('POST|PUT', /^\/(applications|sessions)/, body => ({
    ...body,
    rules: body.rules?.slice(0, 100),
  })),
}
