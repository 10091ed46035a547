import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

const ticksPerSecond = 100
const pageSize = 4096
/** On the scale of `nice`, where 19 is the lowest priority. */
const niceness = 10

/** A process that a launcher has started. */
export interface Launched {
  readonly child: ChildProcess
  /**
   * True if the child only waits for its own child, which runs Node in a PID namespace. The two end together: the
   * outer one when the inner one has ended, and the inner one, as the first of its namespace, with all in it.
   */
  readonly isForked: boolean
}

/** The process that runs Node, as the operating system sees it. */
export class OsProcess {
  readonly #child: ChildProcess
  readonly #isForked: boolean
  #pid: number | undefined

  constructor({ child, isForked }: Launched) {
    this.#child = child
    this.#isForked = isForked
  }

  /** The id of the process that runs Node; `undefined` if there is none (yet). */
  get pid(): number | undefined {
    this.#pid ??= this.#isForked ? this.#forked() : this.#child.pid
    return this.#pid
  }

  /** Ends it at once. The exit of the child follows. */
  kill(): void {
    // Looked up again: a remembered id could belong to another process by now.
    const forked = this.#isForked ? this.#forked() : undefined
    if (forked === undefined) this.#child.kill('SIGKILL')
    else tryTo(() => process.kill(forked, 'SIGKILL'))
  }

  /** Gives the server's own work priority. Not every host allows it; the other limits hold nevertheless. */
  lowerPriority(): void {
    const { pid } = this
    if (pid !== undefined) tryTo(() => setPriority(pid, niceness))
  }

  /** Returns processor time in milliseconds and resident memory in MiB, if the system reports them. */
  usage(): { readonly cpuMs: number; readonly residentMiB: number } | undefined {
    return tryTo(() => {
      const stat = readFileSync(`/proc/${this.pid}/stat`, 'latin1')
      // The process name in brackets may itself contain brackets and spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = Number(fields[11]) + Number(fields[12])
      return {
        cpuMs: (ticks * 1000) / ticksPerSecond,
        residentMiB: (Number(fields[21]) * pageSize) / 2 ** 20,
      }
    })
  }

  #forked(): number | undefined {
    const { pid } = this.#child
    const children = tryTo(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'))
    const [first] = children?.trim().split(' ') ?? []
    return first ? Number(first) : undefined
  }
}

function tryTo<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
