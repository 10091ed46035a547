import { describeError } from '../base/log.ts'
import type { Cancel } from '../base/time/clock.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'
import { type StoredDocument, StoreEmptied } from '../storage/port/port.ts'
import type { DueRecord } from '../storage/records/records.ts'
import { type Candidate, choose } from './choose.ts'
import { claim, leaseMs, lost, release } from './claim.ts'
import { deliver } from './deliver.ts'
import type { Claimed, ScheduleRecord, Stage } from './job.ts'
import { noRoomMs, perform } from './perform.ts'
import { type Performer, type WebhookLimits, type WebhookParts, webhookLimits } from './webhook-parts.ts'

/** The interval at which the store is asked for jobs that are due again or were left by other processes. */
const lookEveryMs = 1000

/** The number of due jobs read at first, and the number read if there are more. */
const firstLook = 1024
const furtherLook = 4096

/** The number of places by which a job may be begun later than in order. */
const spread = 256

/** A due job that this process does not work on yet. */
interface DueJob extends Candidate {
  readonly key: string
  readonly found: Claimed
}

interface RunningJob extends Candidate {
  readonly abandoning: AbortController
  readonly done: Promise<void>
}

/**
 * Runs and delivers due jobs, as many at once as there is capacity for. The store is the queue: a process claims a job by
 * making it due again after the end of a lease, so a job whose process died becomes due by itself. Several processes may
 * share a store.
 */
export class JobRunner {
  readonly #parts: WebhookParts
  readonly #performer: Performer
  readonly #limits: WebhookLimits
  readonly #running = new Map<string, RunningJob>()
  /** Due jobs that were found at the last look, or made due by this process since. */
  #known = new Map<string, DueJob>()
  /** Tenants for whose jobs no process was free, and the time of the tenant until which no other is tried. */
  readonly #withoutRoom = new Map<string, number>()
  #turn: Promise<unknown> = Promise.resolve()
  #isLeaving = false
  #cancelLook: Cancel = () => {}

  constructor(parts: WebhookParts, performer: Performer) {
    this.#parts = parts
    this.#performer = performer
    this.#limits = { ...webhookLimits, ...parts.limits }
    this.#lookIn(0)
  }

  /** Adds a job that has just become due. Resolves when it and the jobs begun after it are done. */
  add(found: Claimed): Promise<void> {
    this.#know(found)
    return this.#takeUp()
  }

  /** Resolves when all jobs that are due, or in progress, are done or due later. */
  async catchUp(): Promise<void> {
    await this.#takeUp(() => this.#look())
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  /** Begins no more jobs, waits a while for those in progress, and gives back those that do not end by then. */
  async close(): Promise<void> {
    this.#isLeaving = true
    this.#cancelLook()
    await this.#turn
    const all = Promise.all([...this.#running.values()].map(({ done }) => done))
    let alarm: NodeJS.Timeout | undefined
    const grace = new Promise<void>(over => {
      alarm = setTimeout(over, this.#limits.graceMs)
    })
    await Promise.race([all, grace])
    clearTimeout(alarm)
    for (const { abandoning } of this.#running.values()) abandoning.abort()
    await all
  }

  counts() {
    const count = (jobs: Iterable<Candidate>, stage: Stage) =>
      [...jobs].filter(job => job.stage === stage).length
    const at = (stage: Stage) => ({
      due: count(this.#known.values(), stage),
      running: count(this.#running.values(), stage),
    })
    return { waiting: at('waiting'), delivery: at('delivery') }
  }

  #lookIn(ms: number): void {
    const { clock } = this.#parts
    this.#cancelLook = clock.at(clock.nowMs() + ms, async () => {
      if (this.#isLeaving) return
      this.#lookIn(lookEveryMs)
      await this.#takeUp(() => this.#look())
    })
  }

  /** Begins as many jobs as there is capacity for. Resolves when they and the jobs begun after them are done. */
  async #takeUp(look: () => Promise<Promise<void>[]> = async () => []): Promise<void> {
    // One at a time, as two would use the same capacity.
    const turn = this.#turn.then(async () => {
      const others = await look()
      if (this.#isLeaving) return others
      const { waiting, delivery } = this.#limits
      const due = [...this.#known.values()].filter(job => this.#mayHaveRoom(job))
      const chosen = choose(due, [...this.#running.values()], { waiting, delivery })
      return [...others, ...chosen.map(job => this.#begin(job))]
    })
    this.#turn = turn.catch(() => {})
    await Promise.all(await turn)
  }

  /** False for a while after no process was free for a job of the tenant: each try costs two commits. */
  #mayHaveRoom({ stage, party }: DueJob): boolean {
    return stage !== 'waiting' || !this.#isWithoutRoom(party.tenant)
  }

  #isWithoutRoom(tenant: string): boolean {
    const leftMs = (this.#withoutRoom.get(tenant) ?? 0) - this.#nowMs(tenant)
    // A test can put the clock of a tenant back.
    return leftMs > 0 && leftMs <= noRoomMs
  }

  #nowMs(tenant: string): number {
    return Math.floor(this.#parts.clock.nowUs(tenant) / 1000)
  }

  /** Reads the due jobs from the store, and forgets those that other processes have claimed. */
  async #look(): Promise<Promise<void>[]> {
    const { records, clock } = this.#parts
    for (const tenant of this.#withoutRoom.keys()) {
      if (!this.#isWithoutRoom(tenant)) this.#withoutRoom.delete(tenant)
    }
    const before = new Set(this.#known.keys())
    const first = await records.due<ScheduleRecord>('job', clock.nowMs(), firstLook)
    const isAll = first.length < firstLook
    const due = isAll ? first : await records.due<ScheduleRecord>('job', clock.nowMs(), furtherLook)
    // Of more jobs than were read, those that are due later may be of tenants that have only a few.
    const isCut = due.length === furtherLook
    const known = [...this.#known.values()]
    this.#known = new Map()
    for (const { store, record } of this.#spread(due))
      if (store && record) this.#know({ store, schedule: record })
    for (const { key, found } of known)
      if (!before.has(key) || (isCut && !this.#known.has(key))) this.#know(found)
    return due.filter(one => one.store && !one.record).map(one => this.#discard(one))
  }

  /**
   * Shuffles the jobs a little if several processes see the same ones: otherwise all would try to claim the same job. Those
   * due for longest still come first, within a few places.
   */
  #spread(due: readonly DueRecord<ScheduleRecord>[]): readonly DueRecord<ScheduleRecord>[] {
    const { isShared, random } = this.#parts
    if (!isShared || due.length < 2) return due
    const chances = random.bytes(due.length)
    const ranked = due.map((job, place) => ({ job, rank: place + ((chances[place] ?? 0) / 256) * spread }))
    return ranked.sort((a, b) => a.rank - b.rank).map(({ job }) => job)
  }

  #know(found: Claimed): void {
    const { store, schedule } = found
    const key = `${store.tenant} ${schedule.value.id}`
    const { stage } = schedule.value
    if (!this.#running.has(key)) this.#known.set(key, { key, stage, party: partyOf(found), found })
  }

  #begin(job: DueJob): Promise<void> {
    const { stage, party } = job
    this.#known.delete(job.key)
    const abandoning = new AbortController()
    const done = this.#work(job, abandoning.signal)
    this.#running.set(job.key, { stage, party, abandoning, done })
    return done
  }

  async #work(job: DueJob, abandoned: AbortSignal): Promise<void> {
    let next: Claimed | undefined
    try {
      next = await this.#step(job, abandoned)
    } catch (error) {
      if (error instanceof StoreEmptied) return
      // Retried when its lease ends: at once would be too soon if the store is full.
      this.#parts.log.error('job interrupted', { tenant: job.party.tenant, ...describeError(error) })
      return
    } finally {
      this.#running.delete(job.key)
    }
    if (next) this.#know(next)
    if (this.#known.size > 0) await this.#takeUp()
  }

  /** Returns the job if it is due again at once, to deliver its answer. */
  async #step({ stage, found }: DueJob, abandoned: AbortSignal): Promise<Claimed | undefined> {
    const { tenants } = this.#parts.clock
    const inItsTime = <T>(task: () => T) => tenants.run(found.store.tenant, task)
    const claimed = await inItsTime(() => claim(this.#parts, found))
    if (!claimed) return undefined
    try {
      if (stage === 'waiting') {
        const performed = inItsTime(() => perform(this.#parts, this.#performer, claimed))
        const next = await within(leaseMs(claimed.schedule.value), abandoned, performed)
        if (next !== 'no room') return next
        this.#withoutRoom.set(claimed.store.tenant, this.#nowMs(claimed.store.tenant) + noRoomMs)
        return undefined
      }
      await inItsTime(() => deliver(this.#parts, claimed, abandoned))
    } catch (error) {
      if (!abandoned.aborted) throw error
      // Its own commit will fail, as the job has another version now.
      await inItsTime(() => release(this.#parts, claimed))
    }
    return undefined
  }

  /** Removes a schedule that cannot be opened: it would stay in front of all others. */
  async #discard({ document, store }: DueRecord<ScheduleRecord>): Promise<void> {
    if (!store) return
    const { kind, tenant, id, version }: StoredDocument = document
    await this.#parts.records.commit(
      [{ type: 'remove', kind, tenant, id, version }, lost(this.#parts, store)],
      this.#parts.clock.nowUs(),
    )
  }
}

/** Returns whose shares a job takes: formulas have no target. */
function partyOf({ store: { tenant }, schedule }: Claimed): Candidate['party'] {
  const { application, session, stage, callback_origin } = schedule.value
  const requester = { tenant, application, session }
  // Whatever its port: those of one machine stop together.
  const host = new URL(callback_origin).hostname
  return stage === 'waiting' ? requester : { ...requester, host, hostOfTenant: `${tenant} ${host}` }
}

/** Resolves with the work; rejects if it takes longer than this, in real milliseconds, or is abandoned. */
function within<T>(ms: number, abandoned: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const alarm = setTimeout(() => fail(new Error('a job took longer than its lease')), ms)
    alarm.unref()
    abandoned.addEventListener('abort', () => fail(abandoned.reason), { once: true })
    work.then(done, fail).finally(() => clearTimeout(alarm))
  })
}
