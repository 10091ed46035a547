/** An answer that did not come in time. */
export class Late extends Error {
  override readonly name = 'Late'
}

/**
 * Waits for work no longer than so many milliseconds, even if it heeds no signal.
 * @throws {Late}
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late()), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
