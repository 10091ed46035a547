import { natives } from './host.child.ts'

const labels: Readonly<Record<string, [name: string, encoding: string]>> = {
  'utf-8': ['utf-8', 'utf8'],
  utf8: ['utf-8', 'utf8'],
  'utf-16le': ['utf-16le', 'utf16le'],
  'utf-16': ['utf-16le', 'utf16le'],
  latin1: ['windows-1252', 'latin1'],
  ascii: ['windows-1252', 'latin1'],
  'iso-8859-1': ['windows-1252', 'latin1'],
}

export function utf8(text: string): Uint8Array {
  return natives.encode(text, 'utf8') ?? new Uint8Array(0)
}

export class TextEncoder {
  get encoding(): string {
    return 'utf-8'
  }

  encode(text: unknown = ''): Uint8Array {
    return utf8(`${text}`)
  }

  encodeInto(text: unknown, target: Uint8Array): { read: number; written: number } {
    let [read, written] = [0, 0]
    for (const character of `${text}`) {
      const bytes = utf8(character)
      if (written + bytes.length > target.length) break
      target.set(bytes, written)
      written += bytes.length
      read += character.length
    }
    return { read, written }
  }
}

export class TextDecoder {
  readonly #encoding: readonly [name: string, encoding: string]
  readonly fatal: boolean
  readonly ignoreBOM: boolean

  constructor(label: unknown = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    const name = `${label}`.trim().toLowerCase()
    const known = Object.hasOwn(labels, name) ? labels[name] : undefined
    if (!known) throw new RangeError('the encoding is not one of utf-8, utf-16le and latin1')
    this.#encoding = known
    this.fatal = Boolean(options?.fatal)
    this.ignoreBOM = Boolean(options?.ignoreBOM)
  }

  get encoding(): string {
    return this.#encoding[0]
  }

  /** Decodes complete texts only; `stream` is not supported. */
  decode(bytes: unknown = new Uint8Array(0), options: { stream?: boolean } = {}): string {
    if (options?.stream) throw new TypeError('decoding streams is not supported')
    const encoding = this.#encoding[1]
    const text = natives.decode(bytes, encoding)
    if (text === undefined) throw new TypeError('decode takes an ArrayBuffer or a view of one')
    if (this.fatal && encoding === 'utf8' && !natives.isUtf8(bytes)) {
      throw new TypeError('the bytes are not valid utf-8')
    }
    return !this.ignoreBOM && text[0] === '\ufeff' ? text.slice(1) : text
  }
}
