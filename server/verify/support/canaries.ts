import { randomBytes, randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { filesUnder } from './files.ts'

/**
 * The sensitivity of a value. A `secret` may only appear in responses to authorized callers. An `id` may also appear
 * in the audit log, and a `name` (of a member or container) also in the paths of a problem.
 */
export type Sort = 'secret' | 'id' | 'name'

export interface Canary {
  readonly what: string
  readonly sort: Sort
  readonly value: string
}

/** Creates unique values, which can be searched for later. */
export class Canaries {
  readonly all: Canary[] = []

  /** Returns random letters without a common prefix, which a compressed file would store only once. */
  word(what: string, sort: Sort = 'secret'): string {
    const letters = Array.from(randomBytes(20), byte => String.fromCharCode(97 + (byte % 26)))
    return this.add(what, letters.join(''), sort)
  }

  digits(what: string, count: number): string {
    return this.add(what, digits(count))
  }

  /** Returns a text with random digits and letters where the example has some. */
  like(what: string, example: string): string {
    const letterFrom = (first: string) => String.fromCharCode(first.charCodeAt(0) + randomInt(26))
    const value = example
      .replaceAll(/[A-Z]/g, () => letterFrom('A'))
      .replaceAll(/[a-z]/g, () => letterFrom('a'))
      .replaceAll(/\d/g, (_, at: number) => String(randomInt(at === 0 ? 1 : 0, 10)))
    return this.add(what, value)
  }

  add(what: string, value: string, sort: Sort = 'secret'): string {
    this.all.push({ what, value, sort })
    return value
  }
}

const digits = (count: number) =>
  Array.from({ length: count }, (_, at) => randomInt(at === 0 ? 1 : 0, 10)).join('')

/** Returns the n-th of 10^9 card numbers that pass the Luhn check. */
export function cardNumber(n: number): string {
  const digits = `424242${String(n % 1e9).padStart(9, '0')}`
  // Every second digit, counted back from the check digit, is doubled.
  const sum = [...digits].map(Number).reduceRight((total, digit, at) => {
    const isDoubled = (digits.length - at) % 2 === 1
    return total + (isDoubled ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit)
  }, 0)
  return digits + ((10 - (sum % 10)) % 10)
}

/** Returns a random valid card number. */
export const randomCard = () => cardNumber(randomInt(1e9))

/** Returns a random valid routing number. */
export function routingNumber(): string {
  const weights = [3, 7, 1, 3, 7, 1, 3, 7]
  const body = `0${1 + randomInt(9)}${digits(6)}`
  const sum = weights.reduce((total, weight, at) => total + weight * Number(body[at]), 0)
  return body + ((10 - (sum % 10)) % 10)
}

/** Returns all encodings in which a value may be stored, as bytes to search for. */
function spellings(value: string): [encoding: string, bytes: Buffer][] {
  const bytes = Buffer.from(value)
  const percent = Array.from(bytes, byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const found: [string, Buffer][] = [
    ['utf8', bytes],
    ['utf8', Buffer.from(value.toLowerCase())],
    ['utf8', Buffer.from(value.toUpperCase())],
    ['utf16le', Buffer.from(value, 'utf16le')],
    ['utf16be', Buffer.from(value, 'utf16le').swap16()],
    ['hex', Buffer.from(bytes.toString('hex'))],
    ['hex', Buffer.from(bytes.toString('hex').toUpperCase())],
    ['percent', Buffer.from(encodeURIComponent(value))],
    ['percent', Buffer.from(percent)],
    ['percent', Buffer.from(percent.toUpperCase())],
    ['json', Buffer.from(JSON.stringify(value).slice(1, -1))],
  ]
  // In a longer text base64 may begin at any of three offsets; characters that depend on neighbours are removed.
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const sure = text.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1)
    found.push(['base64', Buffer.from(sure)])
    found.push(['base64url', Buffer.from(sure.replaceAll('+', '-').replaceAll('/', '_'))])
  }
  return found
}

/** Returns the canaries that the bytes contain, with their encoding. */
export function findLeaks(canaries: readonly Canary[], bytes: Buffer | string): string[] {
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  return canaries.flatMap(({ what, value }) => {
    const hit = spellings(value).find(([, spelling]) => buffer.includes(spelling))
    return hit ? [`${what} in ${hit[0]}`] : []
  })
}

/** Like `findLeaks`, for all files of a folder and their names. */
export function findLeaksUnder(canaries: readonly Canary[], folder: string): string[] {
  return filesUnder(folder).flatMap(path => {
    const name = basename(path)
    const found = [...findLeaks(canaries, readFileSync(path)), ...findLeaks(canaries, name)]
    return found.map(leak => `${leak} in the file ${name}`)
  })
}
