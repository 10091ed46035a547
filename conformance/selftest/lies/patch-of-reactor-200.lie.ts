import { type Lie, restates } from '../tell.ts'

/** A PATCH of a reactor is answered 200 and an object. */
export const lie: Lie = {
  turns: ['REA-012.a'],
  tell: restates('PATCH', /^\/reactors\//, 204, 200, { body: {} }),
}
