declare module 'snappyjs' {
  /** @throws {Error} for bytes that are not compressed */
  export function uncompress(compressed: Uint8Array): Uint8Array
}
