/** Makes `client.py` from schemas of the contract, as quicktype makes types of many languages. */
import { readFileSync, writeFileSync } from 'node:fs'
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core'
import { parse } from 'yaml'

const contract = parse(readFileSync('openapi.yaml', 'utf8'))
const schemas = new JSONSchemaInput(new FetchingJSONSchemaStore())
for (const name of ['CreateCardToken', 'Problem', 'Token', 'TokenList']) {
  await schemas.addSource({
    name,
    schema: JSON.stringify({ ...contract, $ref: `#/components/schemas/${name}` }),
  })
}
const inputData = new InputData()
inputData.addInput(schemas)
const { lines } = await quicktype({ inputData, lang: 'python' })
writeFileSync('client.py', lines.join('\n'))
