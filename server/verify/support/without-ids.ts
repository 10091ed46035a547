/** Takes UUIDs out of a text that is searched for digits: theirs may be any. */
export const withoutIds = (text: string): string =>
  text.replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'an id')
