import { createCipheriv, createDecipheriv } from 'node:crypto'
import { Level } from 'level'
import type { Random } from '../src/base/random.ts'

const readOptions = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const
const nonceLength = 12
const tagLength = 16
/** The average length of our index entries. */
const entry = Buffer.alloc(16, 1)

interface Row {
  readonly id: string
}

interface Job {
  readonly puts: readonly (readonly [key: string, value: Buffer])[]
  readonly done: () => void
}

/** Sealed rows in LevelDB: tokens by id and in the order in which they were created, and audit entries. */
export class CeilingStore {
  readonly #level: Level<string, Buffer>
  readonly #random: Random
  readonly #key: Uint8Array
  #queue: Job[] = []
  #writing = false
  total = 0

  private constructor(level: Level<string, Buffer>, random: Random) {
    this.#level = level
    this.#random = random
    this.#key = random.bytes(32)
  }

  static async open(folder: string, random: Random): Promise<CeilingStore> {
    const level = new Level<string, Buffer>(folder, readOptions)
    await level.open()
    return new CeilingStore(level, random)
  }

  /** The load generator asks for existing tokens only. */
  get(id: string): string {
    const box = this.#level.getSync(`d${id}`, readOptions)
    if (!box) throw new Error('there is no such token')
    return this.#open(box)
  }

  async newest(count: number): Promise<string[]> {
    const iterator = this.#level.values({ gte: 'o', lt: 'p', reverse: true, limit: count, ...readOptions })
    const ids = await iterator.nextv(count)
    void iterator.close()
    const boxes = await this.#level.getMany(
      ids.map(id => `d${id.toString('latin1')}`),
      readOptions,
    )
    return boxes.flatMap(box => (box ? [this.#open(box)] : []))
  }

  /** Writes a token, its place in the order, its audit entry, its terms, and more keys up to `count`. */
  insert(token: Row, audit: Row, terms: readonly string[], count: number, done: () => void): void {
    const place = `o${(this.total++).toString(36).padStart(7, '0')}`
    this.#write(
      [[place, Buffer.from(token.id, 'latin1')], ...this.#boxesOf(token, audit)],
      token,
      terms,
      count,
      done,
    )
  }

  replace(token: Row, audit: Row, terms: readonly string[], count: number, done: () => void): void {
    this.#write(this.#boxesOf(token, audit), token, terms, count, done)
  }

  append(audit: Row, count: number): void {
    this.#write([[`u${audit.id}`, this.#seal(JSON.stringify(audit))]], audit, [], count, () => {})
  }

  #boxesOf(token: Row, audit: Row): [string, Buffer][] {
    return [
      [`d${token.id}`, this.#seal(JSON.stringify(token))],
      [`u${audit.id}`, this.#seal(JSON.stringify(audit))],
    ]
  }

  #write(
    puts: [string, Buffer][],
    { id }: Row,
    terms: readonly string[],
    count: number,
    done: () => void,
  ): void {
    for (let n = 0; puts.length < Math.round(count); n++) puts.push([`b${terms[n] ?? n}${id}`, entry])
    this.#queue.push({ puts, done })
    if (!this.#writing) void this.#drain()
  }

  /** Group commit: all writes that arrive during one disk sync go into the next batch. */
  async #drain(): Promise<void> {
    this.#writing = true
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const jobs = this.#queue
      this.#queue = []
      const batch = this.#level.batch()
      for (const { puts } of jobs) for (const [key, value] of puts) batch.put(key, value)
      await batch.write({ sync: true })
      for (const { done } of jobs) done()
    }
    this.#writing = false
  }

  #seal(text: string): Buffer {
    const nonce = this.#random.bytes(nonceLength)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const body = cipher.update(text, 'utf8')
    cipher.final()
    return Buffer.concat([nonce, body, cipher.getAuthTag()])
  }

  #open(box: Buffer): string {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, box.subarray(0, nonceLength))
    decipher.setAuthTag(box.subarray(-tagLength))
    const plain = decipher.update(box.subarray(nonceLength, -tagLength))
    decipher.final()
    return plain.toString()
  }
}
