// A file of its own, as the package's declarations must not need those of pg.

/** What a migration did, or would do. */
export interface Migrated {
  /** The version before; 0 if there was no schema. */
  readonly from: number
  readonly to: number
  /** On Citus: what its tables need besides, in words that follow "to". */
  readonly placing: readonly string[]
}
