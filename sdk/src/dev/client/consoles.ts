/** The part of a global object that a watch listens to. */
interface Realm {
  readonly console?: object
  readonly process?: {
    readonly stdout?: unknown
    readonly stderr?: unknown
    getBuiltinModule?(name: string): { format?(...args: readonly unknown[]): string } | undefined
  }
}

/**
 * The global objects whose consoles are heard. Jest gives each test file one of its own, with a console of its own, and a
 * module of its process another. They are not kept from being collected.
 */
const realms = [new WeakRef(globalThis as Realm)]

/** Lets watches hear the console of another global object too. */
export function hearConsoleOf(global: object): void {
  if (realms.some(realm => realm.deref() === global)) return
  realms.push(new WeakRef(global as Realm))
}

/** Returns the consoles as they are now. */
export function consoles(): object[] {
  const living = realms.filter(realm => realm.deref())
  realms.splice(0, realms.length, ...living)
  return [...new Set(living.flatMap(realm => realm.deref()?.console ?? []))]
}

/** True for the output of a process, which a console prints to unless a test runner has replaced it. */
export function isStandard(stream: object): boolean {
  return realms.some(realm => {
    const { stdout, stderr } = realm.deref()?.process ?? {}
    return stream === stdout || stream === stderr
  })
}

/** Returns what a console prints for its arguments. */
export function formatted(args: readonly unknown[]): string {
  const { process } = globalThis as Realm
  const format = process?.getBuiltinModule?.('node:util')?.format
  return format ? format(...args) : args.map(textOf).join(' ')
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return `${value} ${JSON.stringify(value)}`
  } catch {
    return String(value)
  }
}
