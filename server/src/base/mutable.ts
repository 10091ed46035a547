/** The same object while it is being made. */
export type Mutable<T> = { -readonly [Member in keyof T]: T[Member] }
