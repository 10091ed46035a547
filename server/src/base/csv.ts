// Quoted fields without an alternative for each character, which would fill the stack of a long one.
const field = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y

/** Returns the fields of one record of CSV (RFC 4180); `undefined` if it is not one. */
export function csvFields(record: string): string[] | undefined {
  const fields: string[] = []
  field.lastIndex = 0
  for (;;) {
    const match = field.exec(record)
    if (!match) return undefined
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === '') return fields
  }
}
