import { type Operation, readOperations } from '../../../contract/contract.ts'
import * as table from '../../../generated/client/generated/operations.gen.ts'

/** An operation of the contract as a command: `reactorFormulas.list` is `reactor-formulas list`. */
export interface ClientOperation {
  readonly words: readonly string[]
  /** How the client sends it: its name, method, path and more. */
  readonly sending: string
  readonly facts: Operation
  /** Names of the ids in its path. */
  readonly ids: readonly string[]
}

const hyphened = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** Returns all operations that the client for programs has, by name. */
export function clientOperations(): readonly ClientOperation[] {
  const facts = new Map(readOperations().map(one => [one.id as string, one]))
  return Object.values(table).map(sending => {
    const [id = '', , path = ''] = sending.split(' ')
    const own = facts.get(id)
    if (!own) throw new Error(`the contract has no operation ${id}`)
    const ids = [...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => name)
    return { words: hyphened(id).split('.'), sending, facts: own, ids }
  })
}

/** Returns what stands for its ids in a command: `ID`. */
export const operandsOf = ({ ids }: ClientOperation) => ids.map(name => name.toUpperCase())

/** Returns the operations whose first word this is. */
export function operationsNamed(word: string): readonly ClientOperation[] {
  return clientOperations().filter(({ words }) => words[0] === word)
}
