import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json/json.ts'
import { readDocument } from '../../../contract/contract.ts'
import { headerPrefix } from '../../../generated/facts.ts'
import { describeFlags } from '../../help-text.ts'
import { type ClientOperation, operandsOf } from './operations.ts'
import { flagsOf } from './request.ts'

const exitCodes = [
  'SURROGATE_KEY is the API key; it is never an argument, which other users of the machine could read.',
  'The exit code is 0 if the server did what was asked, 1 if it refused, 2 if the command is not right or',
  'cannot be run, 3 if the server could not be reached.',
]

/** Reads the contract, whose texts the help shows. */
class Contract {
  readonly #document: JsonObject = JSON.parse(readDocument(headerPrefix))

  operation({ facts }: ClientOperation): JsonObject {
    return this.at('paths', facts.path, facts.method.toLowerCase())
  }

  at(...steps: readonly string[]): JsonObject {
    const found = steps.reduce<JsonValue | undefined>(
      (value, step) => (isJsonObject(value) ? value[step] : undefined),
      this.#document,
    )
    return this.resolve(found)
  }

  /** Follows a reference. */
  resolve(value: JsonValue | undefined): JsonObject {
    if (!isJsonObject(value)) return {}
    return typeof value.$ref === 'string' ? this.at(...value.$ref.split('/').slice(1)) : value
  }

  /** Returns the members of an object with their schemas, and those of all schemas that it is combined of. */
  members(schema: JsonObject): [name: string, member: JsonObject][] {
    const combined = [schema.allOf, schema.anyOf, schema.oneOf].flatMap(list =>
      Array.isArray(list) ? list : [],
    )
    const own = isJsonObject(schema.properties) ? Object.entries(schema.properties) : []
    return [
      ...combined.flatMap(one => this.members(this.resolve(one))),
      ...own.map(([name, member]): [string, JsonObject] => [name, this.resolve(member)]),
    ]
  }
}

const textOf = (value: JsonValue | undefined) =>
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : ''
const firstSentence = (value: JsonValue | undefined) => /^.+?\.(?= |$)|^.+$/.exec(textOf(value))?.[0] ?? ''

/** Returns one line for each operation whose first word this is. */
export function helpOfGroup(word: string, operations: readonly ClientOperation[]): string {
  const contract = new Contract()
  const lines = operations.map(operation => {
    const call = [...operation.words, ...operandsOf(operation)].join(' ')
    return `  ${call.padEnd(34)}${textOf(contract.operation(operation).summary)}`
  })
  return [`Usage: surrogate-server ${word} <operation> [flags]`, '', ...lines, '', ...exitCodes, ''].join(
    '\n',
  )
}

/** Returns one line for each first word: `tokens`, `tokenize`. */
export function describeClient(operations: readonly ClientOperation[]): string[] {
  const words = new Map<string, string[]>()
  for (const {
    words: [word = '', verb],
  } of operations)
    words.set(word, [...(words.get(word) ?? []), ...(verb ? [verb] : [])])
  return [...words].map(([word, verbs]) => `  ${word.padEnd(32)}${verbs.join(', ')}`.trimEnd())
}

export function helpOf(operation: ClientOperation): string {
  const contract = new Contract()
  const own = contract.operation(operation)
  const parameters = (Array.isArray(own.parameters) ? own.parameters : []).map(one => contract.resolve(one))
  const describe = (name: string) => firstSentence(parameters.find(one => one.name === name)?.description)
  const { facts, words } = operation
  const call = ['surrogate-server', ...words, ...operandsOf(operation)].join(' ')
  return [
    `Usage: ${call} [flags]`,
    '',
    wrapped(textOf(own.description) || textOf(own.summary)),
    '',
    ...describeFlags(flagsOf(operation, describe)),
    '',
    ...bodyHelp(contract, own, call),
    ...(facts.applicationTypes.length === 0
      ? []
      : [`Takes the key of a ${facts.applicationTypes.join(' or ')} application.`]),
    ...exitCodes,
    '',
  ].join('\n')
}

/** Describes a member by the schemas that it has in the alternatives of a body. */
function describeMember(schemas: readonly JsonObject[]): string {
  const constants = schemas.flatMap(schema => (typeof schema.const === 'string' ? [schema.const] : []))
  if (constants.length > 0) return [...new Set(constants)].join(', ')
  const [text = '', ...others] = new Set(schemas.map(({ description }) => firstSentence(description)))
  return others.length === 0 ? text : 'depends on the other members; see the contract'
}

/** Breaks a text into lines that fit a terminal. */
const wrapped = (text: string) => text.replaceAll(/(.{1,100})(?: +|$)/g, '$1\n').trimEnd()

function bodyHelp(contract: Contract, operation: JsonObject, call: string): string[] {
  const content = contract.resolve(contract.resolve(operation.requestBody).content)
  const [media] = Object.values(content)
  if (media === undefined) return []
  const { schema, examples } = contract.resolve(media)
  const all = contract.members(contract.resolve(schema))
  const members = [...new Set(all.map(([name]) => name))].map(name => {
    const alternatives = all.filter(([one]) => one === name).map(([, member]) => member)
    return `  ${name.padEnd(32)}${describeMember(alternatives)}`
  })
  const [example] = isJsonObject(examples) ? Object.values(examples) : []
  const shown = isJsonObject(example)
    ? [`Example: ${call} --data '${JSON.stringify(example.value)}'`, '']
    : []
  return [...(members.length > 0 ? ['Members of the body:', '', ...members, ''] : []), ...shown]
}
