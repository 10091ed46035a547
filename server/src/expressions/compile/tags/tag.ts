import type { TagToken, TopLevelToken } from 'liquidjs'
import type { Node } from '../../run.ts'
import type { Compiling } from '../operand.ts'

/** Compiles one kind of tag, with its block. */
export type CompileTag = (tag: TagToken, parser: TagParser) => Node

/** The parser as tags see it. */
export interface TagParser {
  readonly compiling: Compiling
  /** Returns the next token, without compiling it. */
  take(): TopLevelToken | undefined
  /** Compiles the block from here up to one of these tags. */
  block(opener: TagToken, ends: readonly string[]): Block
  /** Compiles other tokens as a separate block. */
  nested(tokens: readonly TopLevelToken[], opener: TagToken): Node
}

export interface Block {
  readonly body: Node
  readonly end: TagToken
}
