import type { TagToken, TopLevelToken } from 'liquidjs'
import type { Node } from '../../run.ts'
import type { Compiling } from '../operand.ts'

/** Compiles one kind of tag, with the block that belongs to it. */
export type CompileTag = (tag: TagToken, parser: TagParser) => Node

/** What a tag asks of the parser. */
export interface TagParser {
  readonly compiling: Compiling
  /** The next token, taken as it is. */
  take(): TopLevelToken | undefined
  /** The block from here up to one of these tags. */
  block(opener: TagToken, ends: readonly string[]): Block
  /** Other tokens as a block of their own. */
  nested(tokens: readonly TopLevelToken[], opener: TagToken): Node
}

export interface Block {
  readonly body: Node
  readonly end: TagToken
}
