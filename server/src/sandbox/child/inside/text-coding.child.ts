import { natives } from './host.child.ts'

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

  encodeInto(text: unknown, target: unknown): { read: number; written: number } {
    const counts = natives.encodeInto(`${text}`, target)
    if (!counts) throw new TypeError('encodeInto takes a text and a Uint8Array')
    return counts
  }
}

export class TextDecoder {
  readonly #decode: (bytes: unknown, stream: boolean) => string | undefined
  readonly encoding: string
  readonly fatal: boolean
  readonly ignoreBOM: boolean

  constructor(label: unknown = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    this.fatal = Boolean(options?.fatal)
    this.ignoreBOM = Boolean(options?.ignoreBOM)
    const decoder = natives.decoder(`${label}`, this.fatal, this.ignoreBOM)
    if (!decoder) throw new RangeError('the encoding is not known')
    this.encoding = decoder.encoding
    this.#decode = decoder.decode
  }

  decode(bytes: unknown = new Uint8Array(0), options: { stream?: boolean } = {}): string {
    const text = this.#decode(bytes, Boolean(options?.stream))
    if (text === undefined) throw new TypeError('decode takes bytes that are valid in the encoding')
    return text
  }
}
