import type { LongPage } from '../../base/page.ts'

/** The least length of a piece in characters. A write for each small token would take longer. */
const pieceLength = 64 * 1024

/** Yields the JSON text of a page, made item by item, and returns its last piece. */
export async function* pagePieces({ pagination, data }: LongPage<unknown>): AsyncGenerator<string, string> {
  let piece = `{"pagination":${JSON.stringify(pagination)},"data":[`
  let separator = ''
  for await (const item of data) {
    piece += separator + JSON.stringify(item)
    separator = ','
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  return `${piece}]}`
}

/**
 * Makes the first piece, so that an error until then can still become a problem document. Resolves with the text if
 * there is only one piece.
 */
export async function beginPieces(
  pieces: AsyncGenerator<string, string>,
): Promise<string | AsyncGenerator<string, void>> {
  const first = await pieces.next()
  return first.done ? first.value : continued(first.value, pieces)
}

async function* continued(
  first: string,
  pieces: AsyncGenerator<string, string>,
): AsyncGenerator<string, void> {
  try {
    yield first
    yield yield* pieces
  } finally {
    await pieces.return('')
  }
}

/** Joins all pieces. Resolves with `undefined` as soon as they are longer than `mostBytes`. */
export async function joinPieces(
  pieces: AsyncIterable<string | Uint8Array>,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const joined: string[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += Buffer.byteLength(piece)
    if (bytes > mostBytes) return undefined
    joined.push(Buffer.from(piece as string).toString())
  }
  return joined.join('')
}
