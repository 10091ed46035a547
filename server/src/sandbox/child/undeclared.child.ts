/**
 * Lets reading a name that nothing declares throw a ReferenceError, as in Node; a compartment would read `undefined`. The
 * globals get a prototype that seems to have the name while code looks it up as a variable.
 *
 * @param globals the object of the globals of a compartment
 * @param isUndeclared true if code reads this name as a variable, and not by `typeof` or as a member of `globalThis`
 */
export function refuseUndeclared(globals: object, isUndeclared: (name: string) => boolean): void {
  const parent = Object.getPrototypeOf(globals) as object
  /** The name that was found last: a variable is looked up, then read. */
  let found: PropertyKey | undefined
  const handler: ProxyHandler<object> = {
    has(target, name) {
      if (Reflect.has(target, name)) return true
      if (typeof name !== 'string' || !isUndeclared(name)) return false
      found = name
      return true
    },
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name !== found) return Reflect.get(target, name, receiver)
      found = undefined
      throw new ReferenceError(`${name} is not defined`)
    },
  }
  Object.setPrototypeOf(globals, new Proxy(Object.freeze(Object.create(parent)), handler))
}

/** Returns the names that code asks about by `typeof`, which may be undeclared. */
export function namesBehindTypeof(code: string): Set<string> {
  return new Set([...code.matchAll(/\btypeof[\s(]*([A-Za-z_$][\w$]*)/g)].map(([, name = '']) => name))
}

/** Returns a function for `refuseUndeclared` about code that can also reach the object of its globals. */
export function undeclaredIn(code: string, modules: Iterable<string>): (name: string) => boolean {
  const known = new Map<string, boolean>()
  const decide = (name: string) =>
    code.includes(name) &&
    !['"', "'", '`'].some(quote => code.includes(quote + name + quote)) &&
    ![code, ...modules].some(text => text.includes(name) && namesBehindTypeof(text).has(name))
  return name => {
    const decided = known.get(name) ?? decide(name)
    known.set(name, decided)
    return decided
  }
}
