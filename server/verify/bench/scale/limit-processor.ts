import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = '/sys/fs/cgroup'
const periodUs = 100_000

/** Limits processes to a share of a processor, like a smaller machine. */
export interface ProcessorLimit {
  /** Removes the limit; call it when the processes have exited, or are to go on without it. */
  release(): Promise<void>
}

/**
 * Limits processes together, and those that they start from then on.
 * @param share of one processor, such as 0.35; @throws if control groups cannot be created
 */
export async function limitProcessor(pids: readonly number[], share: number): Promise<ProcessorLimit> {
  const quotaUs = Math.round(share * periodUs)
  const isUnified = existsSync(join(root, 'cgroup.controllers'))
  const parent = join(root, isUnified ? '' : 'cpu')
  const group = join(parent, `surrogate-bench-${pids[0]}`)
  try {
    if (isUnified) await writeFile(join(root, 'cgroup.subtree_control'), '+cpu')
    await mkdir(group)
    // The weight lets it have its share while other programs run.
    if (isUnified) {
      await writeFile(join(group, 'cpu.max'), `${quotaUs} ${periodUs}`)
      await writeFile(join(group, 'cpu.weight'), '10000')
    } else {
      await writeFile(join(group, 'cpu.cfs_period_us'), String(periodUs))
      await writeFile(join(group, 'cpu.cfs_quota_us'), String(quotaUs))
      await writeFile(join(group, 'cpu.shares'), '262144')
    }
    for (const pid of pids) {
      await writeFile(join(group, 'cgroup.procs'), String(pid)).catch(error => {
        // It has exited.
        if (error.code !== 'ESRCH') throw error
      })
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`shares of a processor need Linux with control groups, and root (${code})`)
  }
  return {
    release: async () => {
      const left = (await readFile(join(group, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean)
      // Some may exit meanwhile.
      for (const pid of left) await writeFile(join(parent, 'cgroup.procs'), pid).catch(() => {})
      await rmdir(group)
    },
  }
}
