// biome-ignore lint/suspicious/noExplicitAny: the classes of these modules have constructors of all kinds
type AnyClass = abstract new (...given: any[]) => object

/**
 * Lets a class be called without `new`, as code from before classes does: `EventEmitter.call(this)`, `inherits`. Its
 * instances must keep their state in plain members.
 */
export function callable<T extends AnyClass>(Class: T): T {
  const made = function (this: object | undefined, ...given: unknown[]): object {
    const self = Reflect.construct(Class, given, new.target ?? made) as object
    if (new.target || !this) return self
    // The members of the instance, not those of the prototype, which the caller has inherited.
    return Object.defineProperties(this, Object.getOwnPropertyDescriptors(self))
  }
  const { prototype, name: _name, length: _length, ...statics } = Object.getOwnPropertyDescriptors(Class)
  Object.defineProperties(made, statics)
  Object.defineProperty(made, 'name', { value: Class.name })
  made.prototype = Class.prototype
  Object.defineProperty(Class.prototype, 'constructor', { value: made, writable: true, configurable: true })
  Object.setPrototypeOf(made, Object.getPrototypeOf(Class))
  return made as unknown as T
}
