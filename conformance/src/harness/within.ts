/** A response did not arrive in time. */
export class Late extends Error {
  override readonly name = 'Late'
}

/**
 * Waits for work, with a time limit that does not depend on signals.
 * @throws {Late} after `ms` milliseconds
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
