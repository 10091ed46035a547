import { readFileSync } from 'node:fs'

/** Of a clock that counts processor time: 100 per second on every Linux. */
const tickMs = 10

/** Processor time of child processes that have ended, in ms. Only Linux tells; elsewhere it is 0. */
function childrenMs() {
  try {
    // The name of the program, in parentheses, may contain spaces. Behind it `cutime` and `cstime` are fields 13 and 14.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').pop()?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) * tickMs
  } catch {
    return 0
  }
}

/** Reads the time since the start of this process, and the processor time that it and its children took. */
export function readClocks() {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), processorMs: (user + system) / 1000 + childrenMs() }
}
