import { ConfigError } from './config-error.ts'

/**
 * Refuses arguments, and variables for this program, that are not UTF-8. Node has put U+FFFD in the place of such bytes
 * before any code runs.
 * @throws {ConfigError}
 */
export function refuseAltered(argv: readonly string[], environment: NodeJS.ProcessEnv): void {
  const given = [
    ...argv.map((text, index) => [`argument ${index + 1}`, text] as const),
    ...Object.entries(environment).filter(([name]) => name.startsWith('SURROGATE_')),
  ]
  for (const [name, text = ''] of given) {
    const at = text.indexOf('\ufffd')
    if (at >= 0) throw new ConfigError(`${name} is not UTF-8 (at character ${at})`)
  }
}
