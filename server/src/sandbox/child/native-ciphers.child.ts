import { createCipheriv, createDecipheriv, type DecipherGCM } from 'node:crypto'
import { attempt, fresh, window } from './native-bytes.child.ts'

const names = ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc', 'aes-128-gcm', 'aes-192-gcm', 'aes-256-gcm']
const mostBytes = 16 * 1024 * 1024
/** A shorter one can be guessed. */
const shortestTag = 12

/** A cipher of Node behind functions of bytes, which return `undefined` for what cannot be done. */
export interface NativeCipher {
  update(bytes: unknown): Uint8Array | undefined
  final(): Uint8Array | undefined
  /** Returns true if it was set. */
  setAad(bytes: unknown): boolean | undefined
  setTag(bytes: unknown): boolean | undefined
  setPadding(isOn: boolean): boolean | undefined
  tag(): Uint8Array | undefined
}

export const nativeCiphers = {
  cipherNames: () => [...names],
  cipher: (isDecryption: boolean, name: string, key: unknown, iv: unknown, tagLength?: number) =>
    attempt((): NativeCipher | undefined => {
      const [secret, start] = [window(key), window(iv)]
      const tooShort = tagLength !== undefined && !(tagLength >= shortestTag)
      if (!names.includes(name) || !secret || !start || start.length > 1024 || tooShort) return undefined
      const options = tagLength === undefined ? {} : { authTagLength: tagLength }
      const create = isDecryption ? createDecipheriv : createCipheriv
      const made = create(name, secret, start, options as never) as unknown as DecipherGCM & {
        getAuthTag(): Uint8Array
      }
      let left = mostBytes
      /** Returns the bytes, if no more were given than one cipher takes. */
      const taken = (bytes: unknown): Uint8Array | undefined => {
        const view = window(bytes)
        if (!view || view.length > left) return undefined
        left -= view.length
        return view
      }
      return Object.freeze({
        update: (bytes: unknown) =>
          attempt(() => {
            const view = taken(bytes)
            return view && fresh(made.update(view))
          }),
        final: () => attempt(() => fresh(made.final())),
        setAad: (bytes: unknown) =>
          attempt(() => {
            const view = taken(bytes)
            if (view) made.setAAD(view)
            return view !== undefined
          }),
        setTag: (bytes: unknown) =>
          attempt(() => {
            const view = taken(bytes)
            if (!view || view.length < shortestTag) return false
            made.setAuthTag(view)
            return true
          }),
        setPadding: (isOn: boolean) =>
          attempt(() => {
            made.setAutoPadding(Boolean(isOn))
            return true
          }),
        tag: () => attempt(() => fresh(made.getAuthTag())),
      })
    }),
}
