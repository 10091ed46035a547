import { type Lie, mishears } from '../tell.ts'

/** A configuration with unknown names is accepted. */
export const lie: Lie = {
  turns: ['REA-004.a'],
  tell: mishears('POST', /^\/reactors$/, body => ({
    ...body,
    configuration: body.configuration && { ...body.configuration, OTHER: undefined },
  })),
}
