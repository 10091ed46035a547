export interface Flag {
  readonly name: string
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  readonly default?: string
  readonly value?: string
  readonly help: string
  /** True if its value may be secret: the variable `SURROGATE_<NAME>_FILE` can name a file that has it. */
  readonly isSecret?: true
}

/** A flag with a value. @param initial the default */
export function textFlag(name: string, value: string, help: string, initial?: string): Flag {
  return { name, type: 'string', value, help, ...(initial === undefined ? {} : { default: initial }) }
}

/** A flag whose value may hold a secret, such as the password of a database. */
export function secretFlag(...given: Parameters<typeof textFlag>): Flag {
  return { ...textFlag(...given), isSecret: true }
}

/** A flag that may be given several times. */
export function listFlag(name: string, value: string, help: string): Flag {
  return { name, type: 'string', multiple: true, value, help }
}

export function booleanFlag(name: string, help: string): Flag {
  return { name, type: 'boolean', help }
}
