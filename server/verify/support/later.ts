/** Returns a promise, and the function that keeps it. */
export function later<T = void>() {
  let keep: (value: T) => void = () => {}
  const promise = new Promise<T>(resolve => {
    keep = resolve
  })
  return { promise, keep }
}
