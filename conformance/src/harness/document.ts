import { readParsed } from '../files.ts'

interface Document {
  readonly paths: Record<string, Record<string, unknown>>
  readonly components: { readonly schemas: Record<string, unknown> }
}

/** The contract that the suite was built with. */
export const document = readParsed('openapi') as Document & Readonly<Record<string, unknown>>

/** Operations by their ids: `PATCH /tokens/{id}`. */
export const operationNames: ReadonlyMap<string, string> = new Map(
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, raw]) => [
      String((raw as { readonly operationId?: string }).operationId),
      `${method.toUpperCase()} ${path}`,
    ]),
  ),
)
