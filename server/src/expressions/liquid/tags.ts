import type { Context, Emitter, Liquid, Parser, TagToken, TopLevelToken } from 'liquidjs'
import { equals } from '../comparing.ts'
import { nameOf, SyntaxFault } from '../expression-error.ts'
import type { Run } from '../run.ts'
import { filteredBy } from './amend.ts'
import { CaptureTag, CaseTag, evalToken, ForTag, IfTag, Tag, tags, UnlessTag } from './liquidjs.ts'

/** The tags of liquidjs. Those that it would run without a limit charge the meter of the run. */

class If extends IfTag {
  override *render(context: Context, emitter: Emitter) {
    meterOf(context).step(this.branches.length)
    yield* super.render(context, emitter)
  }
}

class Unless extends UnlessTag {
  override *render(context: Context, emitter: Emitter) {
    meterOf(context).step(this.branches.length)
    yield* super.render(context, emitter)
  }
}

/** As in Liquid, every `when` that matches is run, and `else` only if none does. */
class Case extends CaseTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const subject = yield this.value.value(context)
    let found = false
    for (const { values, templates } of this.branches) {
      for (const token of values) {
        meterOf(context).step()
        if (!equals(subject, yield evalToken(token, context), context as Run)) continue
        yield this.liquid.renderer.renderTemplates(templates, context, emitter)
        if (context.breakCalled || context.continueCalled) return
        found = true
        break
      }
    }
    if (!found) yield this.liquid.renderer.renderTemplates(this.elseTemplates, context, emitter)
  }
}

/** Writes to the run, so that its text is limited. */
class Capture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const run = context as Run
    const outer = run.buffer
    run.buffer = ''
    yield this.liquid.renderer.renderTemplates(this.templates, context, run)
    run.bottom()[this.variable] = run.buffer
    run.buffer = outer
  }
}

class For extends ForTag {
  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser) {
    super(checkedLoop(token), rest, liquid, parser)
    this.collection = filteredBy(' items', this.collection)
    const { limit, offset } = this.hash.hash
    if (limit) this.hash.hash.limit = filteredBy(' count', limit)
    if (offset) this.hash.hash.offset = filteredBy(' count', offset)
  }
}

/** liquidjs ignores options that it does not know, and says of other faults only that the tag is illegal. */
function checkedLoop(token: TagToken): TagToken {
  const { tokenizer } = token
  const start = tokenizer.p
  const name = tokenizer.readIdentifier()
  if (name.size() === 0) throw new SyntaxFault('the name of a variable is missing', tokenizer.p)
  // liquidjs would lose the state of the loop.
  if (name.content === 'forloop') throw new SyntaxFault('a loop keeps its state in "forloop"', name.begin)
  if (tokenizer.readIdentifier().getText() !== 'in') throw new SyntaxFault('"in" is missing', tokenizer.p)
  tokenizer.readValueOrThrow()
  for (const { name, value, begin } of tokenizer.readHashes(':')) {
    const option = name.getText()
    if (!['limit', 'offset', 'reversed'].includes(option)) {
      throw new SyntaxFault(`"for" has no option ${nameOf(option)}`, begin)
    }
    if (!value && option !== 'reversed') throw new SyntaxFault(`"${option}" has no value`, begin)
  }
  tokenizer.p = start
  return token
}

/** `{% # … %}`. The expression with which liquidjs checks its lines takes quadratic time. */
class InlineComment extends Tag {
  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid) {
    super(token, rest, liquid)
    const [, ...lines] = token.args.split('\n')
    if (lines.every(line => /^#|^$/.test(line.trimStart()))) return
    throw new SyntaxFault('every line of an inline comment must begin with "#"', token.begin)
  }

  render(): void {}
}

const { assign, break: breakTag, comment, continue: continueTag, echo, liquid, raw } = tags

export const allTags = {
  ...{ assign, break: breakTag, comment, continue: continueTag, echo, liquid, raw },
  ...{ if: If, unless: Unless, case: Case, capture: Capture, for: For, '#': InlineComment },
} as typeof tags

function meterOf(context: Context): Run['meter'] {
  return (context as Run).meter
}
