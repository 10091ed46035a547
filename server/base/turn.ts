/** Lets what else is waiting have its turn, so that a request of much work does not hold up all others. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
