import { invalid } from '../../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, mapLeaves, mapMembers } from '../../base/json/json.ts'
import { memberPath } from '../../base/json/member-path.ts'
import { CamelCase } from '../../contract/camel-case.ts'
import { isProxied, type Operation, readDocument } from '../../contract/contract.ts'
import { type Dialect, describedInContract } from '../../contract/dialect.ts'
import { camelCase, isDescription } from '../../contract/members.ts'
import { privacySchema, withPrivacy } from '../../contract/privacy.ts'
import { headerPrefix } from '../../generated/facts.ts'
import type { CoreResponse } from '../transport/message.ts'
import type { Exchange, Step, Translator } from './exchange.ts'
import type { HeaderNames } from './header-names.ts'
import { parse } from './lifecycle.ts'
import { changingPages, longPageOf, type PageChange } from './respond.ts'

/** One thing that a profile translates. Each does only what its dialect says. */
interface Part {
  /** Turns a parsed request into one of the contract. @throws {ServiceError} validation */
  readonly read?: (exchange: Exchange, operation: Operation) => void
  /** Returns the body of a response, or a page with one item of a longer one, as its caller expects it. */
  readonly write?: (exchange: Exchange, operation: Operation, status: number, body: JsonValue) => JsonValue
}

/** Returns the translator that a profile needs, if it needs one. */
export function translatorOf(dialect: Dialect, headerNames: HeaderNames): Translator | undefined {
  const parts = [
    // First, as the others know the members of the contract only.
    ...(dialect.camelCaseMembers ? [camelCaseMembers(dialect, headerNames)] : []),
    ...(dialect.privacy || dialect.cardDatesAsText ? [descriptions(dialect)] : []),
    ...(Object.keys(dialect.logEntityTypes).length > 0 ? [entityTypes(dialect.logEntityTypes)] : []),
  ]
  if (parts.length === 0) return undefined
  const writers = parts.flatMap(({ write }) => write ?? []).reverse()
  const writeBody = (exchange: Exchange, operation: Operation, status: number, body: JsonValue) =>
    writers.reduce((written, write) => write(exchange, operation, status, written), body)
  const read: Step = exchange => {
    const { operation } = exchange
    if (operation && !isProxied(operation)) for (const { read } of parts) read?.(exchange, operation)
  }
  const writePage: PageChange = (exchange, operation, page) => {
    const { status = 200 } = exchange.answer ?? {}
    const write = (one: JsonObject) => writeBody(exchange, operation, status, one) as JsonObject
    return {
      pagination: write({ pagination: { ...page.pagination }, data: [] })
        .pagination as unknown as typeof page.pagination,
      data: mapped(page.data, item => (write({ data: [item as JsonValue] }).data as JsonValue[])[0]),
    }
  }
  return {
    // A translated request is checked as one of the contract.
    steps: steps => changingPages(steps.toSpliced(steps.indexOf(parse) + 1, 0, read), writePage),
    respond: respond => async exchange => {
      const response = await respond(exchange)
      const { operation, answer, refusal } = exchange
      // A formula or another service chose these, or they were made of a translated page.
      const isOther = answer?.chosen || (longPageOf(answer) && !refusal)
      if (!operation || isProxied(operation) || isOther || !isJson(response)) return response
      const written = writeBody(exchange, operation, response.status, JSON.parse(response.body))
      return { ...response, body: JSON.stringify(written) }
    },
  }
}

const isJson = (response: CoreResponse): response is CoreResponse & { readonly body: string } =>
  typeof response.body === 'string' && response.body !== '' && !response.pieces

async function* mapped<T>(items: AsyncIterable<T>, change: (item: T) => unknown): AsyncGenerator<unknown> {
  for await (const item of items) yield change(item)
}

function camelCaseMembers({ privacy }: Dialect, headerNames: HeaderNames): Part {
  const document: JsonObject = JSON.parse(readDocument(headerPrefix))
  if (privacy) {
    const { schemas } = document.components as {
      readonly schemas: Record<string, { properties: JsonObject }>
    }
    for (const name of ['Token', 'CreateTokenCommon'])
      Object.assign(schemas[name]?.properties ?? {}, { privacy: privacySchema })
  }
  const spelling = new CamelCase(document)
  // Another value counts as none.
  const asked = ({ request }: Exchange): boolean | undefined => {
    const given = request.headers[headerNames.members]?.toLowerCase()
    return given === 'camelcase' || (given === 'snake_case' ? false : undefined)
  }
  return {
    read: (exchange, operation) => {
      const { body, isCamelCase, errors } = spelling.readBody(operation, exchange.body ?? null)
      if (exchange.body !== undefined) exchange.body = body
      const query = { ...exchange.query }
      let hasParameter = false
      for (const { name } of operation.queryParameters) {
        const spelled = camelCase(name)
        const value = query[spelled]
        if (spelled === name || value === undefined) continue
        if (query[name] !== undefined) errors.add(spelled, `is given as ${name}, too; give one of the two`)
        query[name] = value
        delete query[spelled]
        hasParameter = true
      }
      exchange.query = query
      exchange.isCamelCase = asked(exchange) ?? (isCamelCase || hasParameter)
      errors.refuseIfAny('a member is given in two spellings')
    },
    write: (exchange, operation, status, body) => {
      // A request that is refused early has not been read.
      if (!(exchange.isCamelCase ?? asked(exchange))) return body
      if (status >= 400) return spelling.writeProblem(operation, body, exchange.body)
      const written = spelling.writeBody(operation, status, body)
      return isPayload(operation)
        ? mapTokens(exchange, operation, written, token => spelling.writeToken(token))
        : written
    },
  }
}

function descriptions(dialect: Dialect): Part {
  const inContract = (value: JsonValue, path: readonly (string | number)[]) =>
    isJsonObject(value) ? describedInContract(dialect, value, memberPath(path)) : value
  const isLeaf = (value: JsonValue) => typeof value !== 'object' || value === null || isDescription(value)
  const read: Part['read'] = (exchange, { id }) => {
    const { body } = exchange
    if (body === undefined) return
    if (id === 'tokens.create') exchange.body = describedInContract(dialect, body)
    if (id === 'tokenize') exchange.body = mapLeaves(body, inContract, isLeaf) ?? null
    if (!dialect.privacy || id !== 'tokens.update' || !isJsonObject(body)) return
    if (Object.hasOwn(body, 'privacy')) {
      throw invalid('privacy', 'is fixed when the token is created; change containers instead')
    }
  }
  if (!dialect.privacy) return { read }
  const write: Part['write'] = (exchange, operation, status, body) =>
    status < 400 ? mapTokens(exchange, operation, body, withPrivacy) : body
  return { read, write }
}

function entityTypes(theirs: Dialect['logEntityTypes']): Part {
  const ours = new Map(Object.entries(theirs).map(([own, name]) => [name, own]))
  return {
    read: ({ query }, { id }) => {
      if (id !== 'logs.list' || typeof query?.entity_type !== 'string') return
      query.entity_type = ours.get(query.entity_type) ?? query.entity_type
    },
    write: (_exchange, { id }, status, body) => {
      if (id !== 'logs.list' || status >= 400 || !isJsonObject(body) || !Array.isArray(body.data)) return body
      const data = body.data.map(entry => {
        if (!isJsonObject(entry) || typeof entry.entity_type !== 'string') return entry
        return { ...entry, entity_type: theirs[entry.entity_type] ?? entry.entity_type }
      })
      return { ...body, data }
    },
  }
}

const isList = ({ id }: Operation) => id === 'tokens.list' || id === 'tokens.search'
const isPayload = ({ id }: Operation) => id === 'tokenize' || id === 'reactors.react'

/** Returns the body of a response with its tokens changed. */
function mapTokens(
  { caller }: Exchange,
  operation: Operation,
  body: JsonValue,
  change: (token: JsonValue) => JsonValue,
): JsonValue {
  // Within the structure that the caller chose, a token has the id of the tenant, which no other text there can be.
  const inPayload = (value: JsonValue): JsonValue => {
    if (typeof value !== 'object' || value === null) return value
    const isToken = isJsonObject(value) && value.tenant_id !== undefined && value.tenant_id === caller?.tenant
    return isToken ? change(value) : mapMembers(value, inPayload)
  }
  if (operation.id === 'tokenize') return inPayload(body)
  if (!isJsonObject(body)) return body
  if (operation.id === 'reactors.react') {
    return body.tokens === undefined ? body : { ...body, tokens: inPayload(body.tokens) }
  }
  if (!operation.id.startsWith('tokens.')) return body
  return isList(operation) && Array.isArray(body.data)
    ? { ...body, data: body.data.map(change) }
    : change(body)
}
