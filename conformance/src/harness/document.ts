import { readParsed } from '../files.ts'

interface Document {
  readonly paths: Record<string, Record<string, unknown>>
  readonly components: { readonly schemas: Record<string, unknown> }
}

/** The contract that the suite was built with. */
export const document = readParsed('openapi') as Document & Readonly<Record<string, unknown>>
