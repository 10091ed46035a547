import { readFile, stat } from 'node:fs/promises'
import { csvFields } from '../base/csv.ts'
import { OperatorError } from '../base/operator-error.ts'

/** What an operator knows of the cards whose numbers begin with some digits. */
interface CardIssuer {
  readonly issuer?: string
  readonly country?: string
  readonly funding?: string
}

/** Issuers by the first 6 to 11 digits of numbers. */
export type CardIssuers = ReadonlyMap<string, CardIssuer>

/** Thrown for a file of issuers that cannot be read, or is not as `guide/configure.md` says. */
class CardIssuersRefused extends OperatorError {
  override readonly name = 'CardIssuersRefused'

  constructor(file: string, problem: string) {
    super(`the file ${file} of cardIssuers ${problem}`, {
      program: `the file ${file} of --card-issuers ${problem}`,
    })
  }
}

/** Limits on the file: it is in memory as long as the server runs. */
export const cardIssuerLimits = { bytes: 16_000_000, lines: 200_000 } as const

const [shortest, longest] = [6, 11]

/** The columns, each with what it accepts. */
const columns = {
  prefix: [/^\d{6,11}$/, `${shortest} to ${longest} digits`],
  issuer: [/^$|^[^\p{C}]{1,100}$/u, '1 to 100 characters, or empty'],
  country: [/^$|^[A-Z]{2}$/, 'two capital letters as in ISO 3166-1, or empty'],
  funding: [/^$|^(credit|debit|prepaid|charge)$/, 'credit, debit, prepaid, charge, or empty'],
} as const

type Column = keyof typeof columns
const isColumn = (name: string): name is Column => Object.hasOwn(columns, name)

/**
 * Parses a file of issuers: CSV (RFC 4180) whose first line names its columns.
 * @throws {CardIssuersRefused} which names the line and the column, and quotes no value
 */
export function parseCardIssuers(file: string, text: string): CardIssuers {
  const refuse = (line: number, problem: string) => new CardIssuersRefused(file, `line ${line}: ${problem}`)
  const [head = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const names = csvFields(head) ?? []
  if (!names.includes('prefix') || !names.every(isColumn) || new Set(names).size < names.length) {
    const known = Object.keys(columns).join(', ')
    throw refuse(1, `names other columns than ${known}; prefix is needed, and none comes twice`)
  }
  if (lines.length > cardIssuerLimits.lines) {
    throw new CardIssuersRefused(file, `has more than ${cardIssuerLimits.lines} lines`)
  }
  const issuers = new Map<string, CardIssuer>()
  // Few issuers have many prefixes.
  const equal = new Map<string, CardIssuer>()
  for (const [at, line] of lines.entries()) {
    if (line === '') continue
    const fields = csvFields(line)
    if (!fields) throw refuse(at + 2, 'is not CSV')
    if (fields.length !== names.length) throw refuse(at + 2, `has ${fields.length} of ${names.length} fields`)
    const values = new Map(names.map((name, index) => [name as Column, fields[index] ?? '']))
    for (const [name, value] of values) {
      const [form, expected] = columns[name]
      if (!form.test(value)) throw refuse(at + 2, `${name}: must be ${expected}`)
    }
    const { prefix = '', ...issuer } = Object.fromEntries([...values].filter(([, value]) => value !== ''))
    if (issuers.has(prefix)) throw refuse(at + 2, 'prefix: comes twice')
    const key = JSON.stringify(issuer)
    const shared = equal.get(key) ?? issuer
    equal.set(key, shared)
    issuers.set(prefix, shared)
  }
  return issuers
}

/** Returns the issuer of numbers that begin with these digits: of the longest prefix that the file has. */
export function issuerOf(issuers: CardIssuers | undefined, digits: string): CardIssuer | undefined {
  if (!issuers) return undefined
  for (let length = Math.min(digits.length, longest); length >= shortest; length--) {
    const issuer = issuers.get(digits.slice(0, length))
    if (issuer) return issuer
  }
  return undefined
}

/** Reads the operator's file of issuers, if one is named. @throws {CardIssuersRefused} */
export async function readCardIssuers(file: string | undefined): Promise<CardIssuers | undefined> {
  if (file === undefined) return undefined
  const unreadable = () => {
    throw new CardIssuersRefused(file, 'cannot be read')
  }
  const { size } = await stat(file).catch(unreadable)
  const { bytes } = cardIssuerLimits
  if (size > bytes) throw new CardIssuersRefused(file, `must not be larger than ${bytes} bytes`)
  return parseCardIssuers(file, await readFile(file, 'utf8').catch(unreadable))
}
