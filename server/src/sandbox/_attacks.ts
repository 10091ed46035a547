import t from 'tap'
import { body, openSandbox } from './_fixture.ts'
import type { Invocation, Outcome, ServiceTransport } from './sandbox.ts'
import type { SandboxLimits } from './sandbox-limits.ts'

type Tap = typeof t
/** The bodies of formulas, by name. */
export type Tries = Readonly<Record<string, string>>

/** A formula that tries one attack, and the expected outcome. */
interface Attack {
  readonly name: string
  /** The body of the formula; or its whole code in `code`. */
  readonly tries?: string
  readonly code?: string
  /** The outcome must match this; `raw` must be equal. */
  readonly must: object
  readonly given?: Partial<Invocation>
  readonly limits?: Partial<SandboxLimits>
  /** The body of a formula that is run next for the same tenant. */
  readonly next?: string
  readonly nextMust?: object
}

export const answered = (raw: unknown) => ({ kind: 'answered', raw })

/** Returns attacks that have one outcome. */
export const attacks = (must: object, tries: Tries, more: Partial<Attack> = {}): Attack[] =>
  Object.entries(tries).map(([name, text]) => ({ name, tries: text, must, ...more }))

/** Returns attacks whose bodies end with the answer that they must have: `return { raw: 1 } // => 1`. */
export const answering = (tries: Tries): Attack[] =>
  Object.entries(tries).flatMap(([name, text]) => {
    const [, raw = ''] = text.split(' // => ')
    return attacks(answered(JSON.parse(raw)), { [name]: `${text}\n` })
  })

const canary = 'canary-4242424242424242'

/**
 * Runs each attack as a test. Afterwards the host must be unaffected: another tenant's formula runs, and its data
 * was not revealed.
 */
export function testAttacks(all: readonly Attack[]): void {
  // Attacks on memory should be ended by the memory limit, not by the time limit, also on slow machines.
  const cpuMs = { sync: 20_000, async: 20_000 }
  // All attacks are of one tenant, which would otherwise wait longer and longer between them.
  const backOff = { firstMs: 1, mostMs: 1, forgetMs: 1, tenants: 1 }
  // Half of the usual heap is full sooner. An attack with limits of its own, even none, has the whole.
  const shared = openSandbox(t, { limits: { cpuMs, backOff, heapMiB: 48 } })
  let svcAnswers: (() => void)[] = []

  const svc: ServiceTransport = async ({ path }) => {
    // Resolves when the attack has ended.
    if (path.endsWith('/slow')) await new Promise<void>(resolve => svcAnswers.push(resolve))
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"a"}' }
  }
  const releaseSlow = () => {
    for (const answer of svcAnswers) answer()
    svcAnswers = []
  }

  for (const attack of all) {
    t.test(attack.name, async t => {
      const sandbox = attack.limits ? openSandbox(t, { limits: attack.limits }) : shared
      sandbox.lines.length = 0
      // Near the limit of memory, a machine with other work may take minutes.
      const slow = 'reason' in attack.must && attack.must.reason === 'memory' ? { timeoutMs: 180_000 } : {}
      const run = (text: string) =>
        sandbox.formula(text, { svc, tenant: 'hostile', ...slow, ...attack.given })
      checkOutcome(t, await run(attack.code ?? body(attack.tries ?? '')), attack.must)
      // These responses arrive when the attack has ended.
      releaseSlow()
      if (attack.nextMust) checkOutcome(t, await run(body(attack.next ?? '')), attack.nextMust)
      // No attack but on the output itself may print anything after its end.
      t.notOk(sandbox.lines.some(({ text }) => text === 'late' || text.includes(canary)))
      t.equal(
        await shared.raw(body('return { raw: req.args.secret }'), {
          tenant: 'other',
          args: { secret: canary },
        }),
        canary,
        'the formula of another tenant runs',
      )
    })
  }
}

function checkOutcome(t: Pick<Tap, 'match' | 'same' | 'notOk'>, outcome: Outcome, must: object): void {
  t.match(outcome, must)
  if ('raw' in must) t.same((outcome as { raw?: unknown }).raw, must.raw)
  t.notOk(JSON.stringify(outcome).includes(canary), 'no data of another tenant')
}
