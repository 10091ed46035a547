import type { JsonObject, JsonValue } from '../../src/base/json/json.ts'

/** Returns the contract of every server: without the operations of development servers and of options, and what only they use. */
export function withoutDevelopment(document: JsonObject): JsonObject {
  const tags = (document.tags as JsonObject[]).filter(({ name }) => name !== 'Development')
  return { ...withoutParts(document, part => isDevelopment(part) || isOptional(part)), tags }
}

/** Returns the contract without the operations of options, and what only they use. */
export function withoutOptions(document: JsonObject): JsonObject {
  return withoutParts(document, isOptional)
}

function withoutParts(document: JsonObject, isUnwanted: (part: JsonObject) => boolean): JsonObject {
  const components = Object.entries(document.components as Record<string, JsonObject>)
  return {
    ...document,
    paths: pathsWhere(document, operation => !isUnwanted(operation)),
    components: Object.fromEntries(
      components.map(([kind, parts]) => [kind, without(parts, part => isUnwanted(part as JsonObject))]),
    ),
  }
}

/** Returns the contract with the operations of development servers alone, and what they use. */
export function developmentOnly(document: JsonObject): JsonObject {
  const paths = pathsWhere(document, isDevelopment)
  const used = referencesIn(document, paths)
  const components = Object.entries(document.components as Record<string, JsonObject>).map(
    ([kind, parts]) => {
      const kept = Object.entries(parts).filter(
        ([name]) => kind === 'securitySchemes' || used.has(`#/components/${kind}/${name}`),
      )
      return [kind, Object.fromEntries(kept)]
    },
  )
  return { ...document, paths, components: Object.fromEntries(components) }
}

/** Returns the targets of all references in a part of a document, and in these targets. */
function referencesIn(
  document: JsonObject,
  part: JsonValue | undefined,
  found = new Set<string>(),
): Set<string> {
  if (typeof part !== 'object' || part === null) return found
  const { $ref } = part as JsonObject
  if (typeof $ref === 'string' && !found.has($ref)) {
    found.add($ref)
    const [, , kind = '', name = ''] = $ref.split('/')
    referencesIn(document, (document.components as Record<string, JsonObject>)[kind]?.[name], found)
  }
  for (const child of Object.values(part)) referencesIn(document, child, found)
  return found
}

const isDevelopment = (part: JsonObject) => part['x-profile'] === 'dev'

/** True for parts that a server has only if an option switches them on. */
const isOptional = (part: JsonObject) => part['x-option'] !== undefined

function pathsWhere(document: JsonObject, isWanted: (operation: JsonObject) => boolean): JsonObject {
  const paths = Object.entries(document.paths as Record<string, JsonObject>)
  const kept = paths.map(
    ([path, operations]) =>
      [path, without(operations, operation => !isWanted(operation as JsonObject))] as const,
  )
  return Object.fromEntries(kept.filter(([, operations]) => Object.keys(operations).length > 0))
}

function without(parts: JsonObject, isUnwanted: (part: JsonValue) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => !isUnwanted(part)))
}
