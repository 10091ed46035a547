import { invalid } from '../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import { errorPath } from '../base/json/member-path.ts'
import { tokenTypes } from '../generated/facts.ts'
import { isSameContainer, isWithin } from './containers.ts'

const words = {
  classification: ['general', 'bank', 'pci', 'pii'],
  impact_level: ['low', 'moderate', 'high'],
  restriction_policy: ['mask', 'redact'],
} as const
type Member = keyof typeof words

/** The member `privacy` of tokens, as a schema. */
export const privacySchema: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(words).map(([name, values]) => [name, { enum: [...values] }]),
  ),
}

const areas = words.classification.flatMap(classification =>
  words.impact_level.map(level => ({ classification, level, container: `/${classification}/${level}/` })),
)

/**
 * Returns the description of a token with the container that its `privacy` names, instead of `privacy`. What privacy
 * leaves out is that of the token's type.
 *
 * @param path of the description in the request
 * @throws {ServiceError} validation, if it is not known, or contradicts other members
 */
export function privacyAsContainer(description: JsonValue, path = ''): JsonValue {
  if (!isJsonObject(description) || !Object.hasOwn(description, 'privacy')) return description
  const { privacy, ...token } = description
  const type = typeof token.type === 'string' ? ownType(token.type) : undefined
  // Without a type of ours the description is refused for that.
  if (privacy === null || type === undefined) return token
  const refuse = (message: string, ...member: string[]) =>
    invalid(errorPath(path, 'privacy', ...member), message)
  if (!isJsonObject(privacy)) throw refuse('must be an object')
  const wordOf = (name: Member): string | undefined => {
    const word = privacy[name] ?? undefined
    if (word === undefined || words[name].some(one => one === word)) return word as string | undefined
    throw refuse(`must be one of ${words[name].join(', ')}`, name)
  }
  const [, classification, level] = type.containers[0]?.split('/') ?? []
  const container = `/${wordOf('classification') ?? classification}/${wordOf('impact_level') ?? level}/`
  const { containers, mask } = token
  const others = Array.isArray(containers) ? containers : [container]
  if (others.length !== 1 || typeof others[0] !== 'string' || !isSameContainer(others[0], container)) {
    throw refuse(`means the container ${container}; leave out one of privacy and containers`)
  }
  if (wordOf('restriction_policy') === 'redact' && (mask ?? type.mask ?? null) !== null) {
    throw refuse(
      'must not be redact for a token with a mask; give callers a rule with this transform',
      'restriction_policy',
    )
  }
  return { ...token, containers: others }
}

/** Returns a token with the `privacy` of its container; as it is if the container is not one of those. */
export function withPrivacy(token: JsonValue): JsonValue {
  if (!isJsonObject(token) || !Array.isArray(token.containers)) return token
  const [first] = token.containers
  const area = areas.find(({ container }) => typeof first === 'string' && isWithin(first, container))
  if (!area) return token
  const restriction_policy = token.mask === undefined ? 'redact' : 'mask'
  return {
    ...token,
    privacy: { classification: area.classification, impact_level: area.level, restriction_policy },
  }
}

const ownType = (name: string) =>
  Object.hasOwn(tokenTypes, name) ? tokenTypes[name as keyof typeof tokenTypes] : undefined
