import type { JsonValue } from '../base/json/json.ts'
import { expressionLimits } from '../base/limits.ts'
import { systemRandom } from '../base/random.ts'
import { createExpressions, ExpressionError, type Expressions, type ExpressionsOptions } from './engine.ts'
import { createLanguage } from './liquid/language.ts'
import { parseTemplate, runTemplate } from './liquid/template.ts'
import { Meter } from './meter.ts'

/** Expressions whose clocks stand still, so that tests reach step limits only, on any machine. */
export function testExpressions(options: Partial<ExpressionsOptions> = {}): Expressions {
  const random = systemRandom()
  return createExpressions({
    random: length => random.bytes(length),
    nowMs: () => Date.UTC(2026, 0, 31, 9, 30),
    ...options,
  })
}

/** Returns the ExpressionError that `act` throws. */
export function refusal(act: () => unknown): ExpressionError {
  try {
    act()
  } catch (error) {
    if (error instanceof ExpressionError) return error
    throw error
  }
  throw new Error('was not refused')
}

/** Returns the number of steps that a template takes on this data, without limits. */
export function costOf(template: string, data: JsonValue): number {
  const most = 1e12
  const unlimited = { ...expressionLimits, steps: most, textLength: most, rangeLength: most, operands: most }
  const meter = new Meter(unlimited, () => [])
  const language = createLanguage()
  const random = systemRandom()
  const sources = { random: (length: number) => random.bytes(length), nowMs: () => 0 }
  const parsed = parseTemplate(template, language, { ...unlimited, templateLength: most })
  runTemplate(parsed, language, { data }, sources, meter)
  return meter.steps
}

/** A template, its data, and the expected value. */
export type FilterCase = readonly [template: string, data: JsonValue, value: JsonValue]
