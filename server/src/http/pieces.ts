import type { LongPage } from '../base/page.ts'

/** What a piece is long at the least, in characters: a write of its own for each small token would cost more. */
const pieceLength = 64 * 1024

/** The JSON text of a page, made item by item. The end of it is what the generator returns. */
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
 * Makes the first piece, so that what fails by then can still be answered as a problem. Resolves with the text
 * where that is all of it.
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
    for (;;) {
      const { done, value } = await pieces.next()
      yield value
      if (done) return
    }
  } finally {
    await pieces.return('')
  }
}

/** All pieces as one text, or `undefined` as soon as it is longer than `mostBytes`. */
export async function joinPieces(
  pieces: AsyncIterable<string>,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const joined: string[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += Buffer.byteLength(piece)
    if (bytes > mostBytes) return undefined
    joined.push(piece)
  }
  return joined.join('')
}
