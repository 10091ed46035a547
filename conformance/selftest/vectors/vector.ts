import type { Case } from '../../src/harness/case.ts'
import type { Requirement } from '../../src/harness/requirements.ts'
import type { Subject } from '../../src/harness/target.ts'
import { contentOf, type HttpResponse } from '../../src/harness/transport.ts'
import {
  differencesOf,
  type Expectation,
  expectationsOf,
  expectedStatus,
  type Noticed,
  replaced,
} from './derive.ts'
import { accepts, type Exchanged, record } from './rehearsal.ts'
import { runs, settings, Texts } from './texts.ts'

export type Step = Readonly<Record<string, unknown>>

/** A case as data: `vectors.schema.json` describes it. */
export interface Vector {
  readonly id: string
  readonly title: string
  readonly requirement: string
  readonly text: string
  /** Names of the settings that it takes. */
  readonly needs: readonly string[]
  readonly steps: readonly Step[]
}

/** A case cannot be data. The message says why. */
export class NotData extends Error {}

/** Longest body of a request, in characters. */
const longest = 12_000

/**
 * Makes a vector from a case: records it on two of our servers, to see what differs between them, and changes the
 * responses to see what it expects.
 * @throws {NotData} if the case needs more than requests and responses
 */
export async function vectorOf(
  one: Case,
  requirement: Requirement,
  targets: readonly [Subject, Subject],
): Promise<Vector> {
  const [target, other] = targets
  const [first, second] = [await recorded(one, target, runs[0]), await recorded(one, other, runs[1])]
  if (first.length !== second.length) throw new NotData('the number of its requests varies')
  const bodies = first.map(({ response }) => bodyOf(response))
  const statuses: (number | string | undefined)[] = []
  const expectations: (readonly Expectation[])[] = []
  const responses = first.map(({ response }) => response)
  const acceptsWith = (changed: readonly HttpResponse[]) => accepts(one, target, changed, runs[0])
  const texts = new Texts(targets, [first, second])
  if (!texts.isSame) throw new NotData('its requests contain what is computed from a key or a response')
  if (!(await acceptsWith(responses))) throw new NotData('it does not accept what it recorded')
  if (!(await acceptsWith(responses.map(one => ({ ...one, headers: new Headers() })))))
    throw new NotData('it expects headers')
  for (const [index, response] of responses.entries()) {
    const instead = (other: HttpResponse) => acceptsWith(responses.with(index, other))
    const body = bodies[index]
    const noticed: Noticed = {
      here: async other => !(await instead(withBody(response, other))),
      everywhere: async (name, value, other) =>
        !(await acceptsWith(
          responses.map((each, at) =>
            bodies[at] === undefined ? each : withBody(each, replaced(bodies[at], name, value, other)),
          ),
        )),
    }
    const expected = body === undefined ? [] : await expectationsOf(body, noticed)
    const isSaid = (one: Expectation) => expected.some(({ at }) => at === one.at)
    const others = await differencesOf(body, sentBy(first[index]), noticed)
    expectations.push([...expected, ...others.filter(one => !isSaid(one))])
    statuses.push(
      await expectedStatus(response.status, async other => !(await instead({ ...response, status: other }))),
    )
  }
  const { id, title } = one
  const steps = texts.steps(statuses, expectations)
  const vector = {
    id,
    title,
    requirement: requirement.id,
    text: requirement.text,
    needs: needsOf(steps),
    steps,
  }
  if (JSON.stringify(vector).length > 2 * longest) throw new NotData('it is long')
  return vector
}

async function recorded(one: Case, target: Subject, run: string): Promise<readonly Exchanged[]> {
  const exchanges = await record(one, target, run)
  for (const { request } of exchanges) {
    if (request.body instanceof Uint8Array) throw new NotData('it sends bytes that are not text')
    if ((request.body?.length ?? 0) > longest) throw new NotData('it sends a long body')
  }
  return exchanges
}

/** Returns the settings whose values the steps of a vector take. */
function needsOf(steps: readonly Step[]): string[] {
  const text = JSON.stringify(steps)
  return [
    ...settings.filter(name => text.includes(`@{${name}}`)),
    ...(text.includes('"advance_ms":') ? ['clock'] : []),
  ]
}

function sentBy(exchanged: Exchanged | undefined): unknown {
  try {
    return JSON.parse(String(exchanged?.request.body))
  } catch {
    return undefined
  }
}

const bodyOf = (response: HttpResponse) => contentOf(response).json
const withBody = (response: HttpResponse, body: unknown): HttpResponse => ({
  ...response,
  body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
})
