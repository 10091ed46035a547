const capital = /[A-F]/
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/**
 * Returns the text by which ids are compared and looked up: a UUID is one id in any case, as some platforms write UUIDs in
 * capitals. An id is shown as it was stored.
 */
export function comparableId(id: string): string {
  // Most ids have no capitals, which is cheaper to see than that they are UUIDs.
  return id.length === 36 && capital.test(id) && uuid.test(id) ? id.toLowerCase() : id
}
