import { existsSync } from 'node:fs'
import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = '/sys/fs/cgroup'
const periodUs = 100_000

/** Limits a process to a share of a processor, like a smaller machine. */
export interface ProcessorLimit {
  /** Removes the limit; call it when the process has exited. */
  release(): Promise<void>
}

/** @param share of one processor, such as 0.35; @throws if control groups cannot be created */
export async function limitProcessor(pid: number, share: number): Promise<ProcessorLimit> {
  const quotaUs = Math.round(share * periodUs)
  const isUnified = existsSync(join(root, 'cgroup.controllers'))
  const group = join(root, isUnified ? '' : 'cpu', `surrogate-bench-${pid}`)
  try {
    if (isUnified) await writeFile(join(root, 'cgroup.subtree_control'), '+cpu')
    await mkdir(group)
    if (isUnified) await writeFile(join(group, 'cpu.max'), `${quotaUs} ${periodUs}`)
    else {
      await writeFile(join(group, 'cpu.cfs_period_us'), String(periodUs))
      await writeFile(join(group, 'cpu.cfs_quota_us'), String(quotaUs))
    }
    await writeFile(join(group, 'cgroup.procs'), String(pid))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`--processor-share needs Linux with control groups, and root (${code})`)
  }
  return { release: () => rmdir(group) }
}
