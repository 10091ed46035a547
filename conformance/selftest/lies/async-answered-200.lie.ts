import { type Lie, react, restates } from '../tell.ts'

/** An asynchronous invocation is answered 200. */
export const lie: Lie = {
  turns: ['INV-511.a'],
  tell: restates('POST', react, 202, 200, { body: {} }),
}
