/** What a request that is not valid says. */
export class Invalid extends Error {}

/** @throws {Invalid} */
export function check(holds, message) {
  if (!holds) throw new Invalid(message)
}

export const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
export const isText = value => typeof value === 'string'
export const listOfTexts = value => Array.isArray(value) && value.every(isText)
export const isPath = value => isText(value) && /^\/([\w-]+\/)*$/.test(value)
