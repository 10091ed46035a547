/**
 * Lets objects that inherit from a prototype have properties of the same names by assignment, as they may before the
 * prototype is frozen: classes of ES5 assign `constructor` and methods to objects that inherit from `Date.prototype` or
 * ours. A frozen property with a value would refuse that; one with a setter does not.
 */
export function allowOverrides(prototype: object): void {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const property = Object.getOwnPropertyDescriptor(prototype, name)
    if (!property || !('value' in property) || !property.configurable) continue
    const { value, enumerable } = property
    const accessor = Object.getOwnPropertyDescriptor(
      {
        get [name]() {
          return value
        },
        set [name](given: unknown) {
          if (this === prototype) throw new TypeError(`Cannot assign to read only property '${name}'`)
          const isNew = !Object.hasOwn(this, name)
          const added = { writable: true, enumerable: true, configurable: true }
          Object.defineProperty(this, name, isNew ? { value: given, ...added } : { value: given })
        },
      },
      name,
    ) as PropertyDescriptor
    // SES finds the value here, to freeze it; so does code that copies properties.
    Object.defineProperty(accessor.get, 'originalValue', { value })
    Object.defineProperty(prototype, name, { ...accessor, enumerable: enumerable ?? false })
  }
}
