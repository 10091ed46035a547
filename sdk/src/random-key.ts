/** Returns 122 random bits or more as text. `randomUUID` does not exist in pages loaded over plain http. */
export const randomKey = (): string =>
  crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-')
