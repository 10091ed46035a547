/** What an application wrote, in parts. */
type Parts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

type Decoder = InstanceType<typeof TextDecoder>

/** Returns the texts of parts: bytes are UTF-8, UTF-16 if they look like it, or either of them packed by gzip. */
export async function* textsOf(parts: Parts): AsyncGenerator<string> {
  let bytes: Uint8Array = new Uint8Array()
  let decoder: Decoder | undefined
  const iterator = partsOf(parts)
  for await (const part of iterator) {
    if (typeof part === 'string') {
      yield part
      continue
    }
    if (decoder) {
      yield decoder.decode(part, { stream: true })
      continue
    }
    bytes = joined(bytes, part)
    if (bytes.length < enough) continue
    if (isPacked(bytes)) return yield* unpacked(bytes, iterator)
    decoder = decoderOf(bytes)
    yield decoder.decode(bytes, { stream: true })
  }
  if (!decoder && isPacked(bytes)) return yield* unpacked(bytes, iterator)
  // Not all runtimes have a decoder, and texts need none.
  if (decoder) yield decoder.decode()
  else if (bytes.length > 0) yield decoderOf(bytes).decode(bytes)
}

/** The bytes by which an encoding is recognized. */
const enough = 64

/** Leaving the loop over a part of an iterator must not end it. */
async function* partsOf(parts: Parts): AsyncGenerator<string | Uint8Array> {
  yield* parts
}

const isPacked = ([first, second]: Uint8Array) => first === 0x1f && second === 0x8b

async function* unpacked(
  begun: Uint8Array,
  rest: AsyncGenerator<string | Uint8Array>,
): AsyncGenerator<string> {
  const encoder = new TextEncoder()
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: controller => controller.enqueue(begun.slice()),
    pull: async controller => {
      const { done, value } = await rest.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value.slice())
    },
  })
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader()
  yield* textsOf(
    (async function* () {
      try {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return
          yield value
        }
      } catch {
        // A file that is still written is cut off: what is there was searched.
      }
    })(),
  )
}

/** In UTF-16 every Latin letter has a zero byte, always on the same side. */
function decoderOf(bytes: Uint8Array): Decoder {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  const zeros = [0, 0]
  for (const [at, byte] of bytes.subarray(0, enough).entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (odd >= 4 && even === 0) return new TextDecoder('utf-16le')
  return new TextDecoder(even >= 4 && odd === 0 ? 'utf-16be' : 'utf-8')
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
