import type { Cancel } from '../base/clock.ts'
import { describeError } from '../base/log.ts'
import type { StoredDocument } from '../storage/port.ts'
import type { DueRecord } from '../storage/sealed.ts'
import { choose } from './choose.ts'
import { claim, lost, release } from './claim.ts'
import { type Performer, type WebhookLimits, type WebhooksContext, webhookLimits } from './context.ts'
import { deliver } from './deliver.ts'
import type { Claimed, ScheduleRecord, Stage } from './job.ts'
import { perform } from './perform.ts'
import { leaseMs } from './schedule.ts'

/** How often the store is asked for what is due again, or what other processes have left. */
const lookEveryMs = 1000

/** How many due jobs are looked at first, and at most: further only while there is room for other tenants'. */
const firstLook = 64
const furthestLook = 4096

/** A job that is due and that nobody here works on. */
interface DueJob {
  readonly key: string
  readonly tenant: string
  readonly stage: Stage
  readonly found: Claimed
}

interface UnderWay {
  readonly tenant: string
  readonly stage: Stage
  readonly abandoning: AbortController
  readonly done: Promise<void>
}

/**
 * Takes up jobs that are due, as many at once as there is room for. The store is the queue: a job is claimed by
 * making it due again only after the time that its work may take, so one whose process died comes back by itself.
 * Several processes may share a store.
 */
export class Runner {
  readonly #context: WebhooksContext
  readonly #performer: Performer
  readonly #limits: WebhookLimits
  readonly #underWay = new Map<string, UnderWay>()
  #looking: Promise<unknown> = Promise.resolve()
  #hasMore = false
  #isLeaving = false
  #cancelLook: Cancel = () => {}

  constructor(context: WebhooksContext, performer: Performer) {
    this.#context = context
    this.#performer = performer
    this.#limits = { ...webhookLimits, ...context.limits }
    this.#lookIn(0)
  }

  /** Takes up what is due; resolves when that, and what it made due or made room for, is done. */
  async wake(): Promise<void> {
    // One look at a time: two would see the same room.
    const look = this.#looking.then(() => this.#takeUp())
    this.#looking = look.catch(() => {})
    await Promise.all(await look)
  }

  /** Takes up nothing more, waits a while for what is under way, and gives back what does not end by then. */
  async close(): Promise<void> {
    this.#isLeaving = true
    this.#cancelLook()
    await this.#looking
    const all = Promise.all([...this.#underWay.values()].map(({ done }) => done))
    let alarm: NodeJS.Timeout | undefined
    const grace = new Promise<void>(over => {
      alarm = setTimeout(over, this.#limits.graceMs)
    })
    await Promise.race([all, grace])
    clearTimeout(alarm)
    for (const { abandoning } of this.#underWay.values()) abandoning.abort()
    await all
  }

  #lookIn(ms: number): void {
    const { clock } = this.#context
    this.#cancelLook = clock.at(clock.nowMs() + ms, async () => {
      if (this.#isLeaving) return
      this.#lookIn(lookEveryMs)
      await this.wake()
    })
  }

  async #takeUp(): Promise<Promise<void>[]> {
    const { store, clock } = this.#context
    const { waiting, delivery } = this.#limits
    for (let limit = firstLook; !this.#isLeaving; limit *= 4) {
      const due = await store.due<ScheduleRecord>('job', clock.nowMs(), limit)
      const broken = due.filter(one => one.store && !one.record)
      const jobs = due.flatMap(one => this.#asJob(one))
      const underWay = [...this.#underWay.values()]
      const chosen = choose(jobs, underWay, { waiting, delivery })
      const isFull = underWay.length + chosen.length >= waiting.overall + delivery.overall
      if (due.length === limit && limit < furthestLook && !isFull) continue
      this.#hasMore = chosen.length < jobs.length
      return [...chosen.map(job => this.#begin(job)), ...broken.map(one => this.#discard(one))]
    }
    return []
  }

  #asJob({ document, store, record }: DueRecord<ScheduleRecord>): DueJob[] {
    const key = `${document.tenant} ${document.id}`
    if (!store || !record || this.#underWay.has(key)) return []
    const { stage } = record.value
    return [{ key, tenant: store.tenant, stage, found: { store, schedule: record } }]
  }

  #begin(job: DueJob): Promise<void> {
    const { tenant, stage } = job
    const abandoning = new AbortController()
    const done = this.#work(job, abandoning.signal)
    this.#underWay.set(job.key, { tenant, stage, abandoning, done })
    return done
  }

  async #work(job: DueJob, abandoned: AbortSignal): Promise<void> {
    try {
      await this.#step(job, abandoned)
    } catch (error) {
      // Its lease will be over, and somebody tries again; at once would be too soon for a store that is full.
      this.#context.log.error('job interrupted', { tenant: job.tenant, ...describeError(error) })
      return
    } finally {
      this.#underWay.delete(job.key)
    }
    if (job.stage === 'waiting' || this.#hasMore) await this.wake()
  }

  async #step({ stage, found }: DueJob, abandoned: AbortSignal): Promise<void> {
    const claimed = await claim(this.#context, found)
    if (!claimed) return
    try {
      if (stage === 'delivery') await deliver(this.#context, this.#performer, claimed, abandoned)
      else {
        const performed = perform(this.#context, this.#performer, claimed)
        await within(leaseMs(claimed.schedule.value), abandoned, performed)
      }
    } catch (error) {
      if (!abandoned.aborted) throw error
      // What it may still commit fails, as the job is another version now.
      await release(this.#context, claimed)
    }
  }

  /** A schedule that does not open can never be kept, and would stand in front of all others. */
  async #discard({ document, store }: DueRecord<ScheduleRecord>): Promise<void> {
    if (!store) return
    const { kind, tenant, id, version }: StoredDocument = document
    await this.#context.store.commit(
      [{ type: 'remove', kind, tenant, id, version }, lost(this.#context, store)],
      this.#context.clock.nowUs(),
    )
  }
}

/** What the work gives, unless it takes longer than real milliseconds, or nobody waits for it any more. */
function within<T>(ms: number, abandoned: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const alarm = setTimeout(() => fail(new Error('a job took longer than its lease')), ms)
    alarm.unref()
    abandoned.addEventListener('abort', () => fail(abandoned.reason), { once: true })
    work.then(done, fail).finally(() => clearTimeout(alarm))
  })
}
