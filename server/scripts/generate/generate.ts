/**
 * Makes what the server reads at run time from the contract: its facts and the types of its operations as
 * TypeScript; the document as JSON, and the page that shows it; the documents that requests and responses are
 * validated by; and the programs beside the server, the client in them. Run by `npm run generate`; its output is never edited and not
 * under version control.
 */
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import type { JsonObject } from '../../src/base/json/json.ts'
import { developmentOnly, withoutDevelopment } from './dev-profile.ts'
import { factsModule } from './facts.ts'
import { operationTypes } from './operation-types.ts'

const root = new URL('../../../', import.meta.url)
const contract = new URL('openapi.yaml', root)
const generated = new URL('../../src/generated/', import.meta.url)

for (const name of ['sdk', 'server', 'conformance'])
  await copyFile(contract, new URL(`${name}/openapi.yaml`, root))
await mkdir(generated, { recursive: true })
const whole: JsonObject = parse(await readFile(contract, 'utf8'))
const document = withoutDevelopment(whole)
const development = developmentOnly(whole)
await writeFile(new URL('facts.ts', generated), factsModule(document, whole))
await writeFile(new URL('operations.ts', generated), operationTypes(document, './types/types.gen.ts'))
const devTypes = operationTypes(development, './dev-client/generated/types.gen.ts', 'Dev')
await writeFile(new URL('dev-operations.ts', generated), devTypes)
// `vault.dev` is the client of development servers, with another way to send.
await rm(new URL('dev-client/', generated), { recursive: true, force: true })
await cp(new URL('sdk/src/dev/client/', root), new URL('dev-client/', generated), { recursive: true })
await writeFile(new URL('openapi.json', generated), JSON.stringify(document))
// All load sources that import the facts, and what checks options loads ajv from the bundle.
const { bundleBackend } = await import('./bundle-backend.ts')
await bundleBackend(generated)
const { bootstrapSchema, profileSchema } = await import('./file-schemas.ts')
await mkdir(new URL('schemas/', generated), { recursive: true })
for (const [name, schema] of [
  ['bootstrap', bootstrapSchema(document, true)],
  ['profile', profileSchema()],
] as const) {
  await writeFile(new URL(`schemas/${name}.schema.json`, generated), JSON.stringify(schema))
}
const forServer = JSON.stringify(bootstrapSchema(document, false))
await writeFile(new URL('bootstrap.schema.json', generated), forServer)
const { bundlePrograms } = await import('./bundle-programs.ts')
const { bundlePages } = await import('./bundle-pages.ts')
const { writeValidationDocuments } = await import('./validation-documents.ts')
await writeValidationDocuments(whole, generated)
await Promise.all([bundlePrograms(), bundlePages()])
