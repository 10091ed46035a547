import type { Statement } from '../sql.ts'
import { blockBits } from './fold-limits.ts'

/** The statements that fold a collection. All name one tenant and one kind, as the first two parameters. */

const none = `0::bit(${blockBits})`
const own = 'tenant = $1::uuid AND kind = $2::smallint'

/** Held until the end of the transaction: only one process folds a collection at a time. Writers do not wait for it. */
export const takeTurn: Statement = {
  name: 'take_turn_to_fold',
  text: `INSERT INTO leases (tenant, name, holder, until_ms) VALUES ($1, 'fold ' || $2::smallint, '', 0)
         ON CONFLICT (tenant, name) DO UPDATE SET until_ms = 0`,
}

/** While the row is locked, no one else writes to the collection. */
export const lock: Statement = {
  name: 'lock_to_fold',
  text: `SELECT 1 FROM collections WHERE ${own} FOR UPDATE`,
}

export const readFolding: Statement = {
  name: 'read_folding',
  text: `SELECT documents, folded_us,
           coalesce(known_stamps = last_us + last_created_us AND known_documents = documents, FALSE),
           EXISTS (SELECT FROM stale_documents WHERE ${own})
         FROM collections WHERE ${own}`,
}

/** The next documents to fold. */
export const readNext: Statement = {
  name: 'read_to_fold',
  text: `SELECT created_us, modified_us, terms FROM documents
         WHERE ${own} AND created_us > $3::bigint AND created_us <= $4::bigint ORDER BY created_us LIMIT $5::bigint`,
}

/** Changes if one of the documents is removed or replaced. */
export const readFingerprint: Statement = {
  name: 'read_fold_fingerprint',
  text: `SELECT count(*), coalesce(max(modified_us), 0) FROM documents
         WHERE ${own} AND created_us > $3::bigint AND created_us <= $4::bigint`,
}

export const readFoldedTerms: Statement = {
  name: 'read_folded_terms',
  text: `SELECT term, documents FROM folded_terms WHERE ${own}`,
}

export const readLastBlock: Statement = {
  name: 'read_last_block',
  text: `SELECT coalesce(max(block), -1) FROM blocks WHERE ${own}`,
}

/** Bits arrive as hexadecimal digits. */
export const insertBlock: Statement = {
  name: 'insert_block',
  text: `INSERT INTO blocks (tenant, kind, block, first_us, last_us, live, stamps)
         VALUES ($1, $2, $3, $4, $5, ('x' || $6)::bit(${blockBits}), $7::bigint[])`,
}

export const insertTermBlocks: Statement = {
  name: 'insert_term_blocks',
  text: `INSERT INTO term_blocks (tenant, kind, term, block, bits)
         SELECT $1, $2, term, $3, ('x' || bits)::bit(${blockBits}) FROM unnest($4::uuid[], $5::text[]) AS made (term, bits)`,
}

export const countTerms: Statement = {
  name: 'count_folded_terms',
  text: `INSERT INTO folded_terms AS counted (tenant, kind, term, documents)
         SELECT $1, $2, term, documents FROM unnest($3::uuid[], $4::bigint[]) AS made (term, documents)
         ON CONFLICT (tenant, kind, term) DO UPDATE SET documents = counted.documents + excluded.documents`,
}

/**
 * Folds terms that were rare until now in the blocks there are. Found by the search index. Stale documents are taken as
 * the blocks have them.
 */
export const foldEarlier: Statement = {
  name: 'fold_earlier',
  text: `WITH starts AS MATERIALIZED (
           SELECT array_agg(first_us ORDER BY block) AS us, array_agg(block ORDER BY block) AS blocks FROM blocks WHERE ${own}),
         found AS MATERIALIZED (
           SELECT created_us, terms FROM documents
           WHERE tenant IS NOT DISTINCT FROM $1::uuid AND kind IS NOT DISTINCT FROM $2::smallint
             AND terms && $3::uuid[] AND created_us <= $4::bigint
             AND created_us <> ALL (ARRAY(SELECT created_us FROM stale_documents WHERE ${own}))
           UNION ALL SELECT created_us, terms FROM stale_documents WHERE ${own} AND terms && $3::uuid[]),
         placed AS MATERIALIZED (
           SELECT created_us, terms, starts.blocks[width_bucket(created_us, starts.us)] AS block FROM found, starts),
         places AS (SELECT block, terms, width_bucket(created_us, stamps) - 1 AS place
           FROM placed JOIN blocks USING (block) WHERE ${own})
         INSERT INTO term_blocks (tenant, kind, term, block, bits)
         SELECT $1, $2, term, block, bit_or(set_bit(${none}, place, 1)) FROM places, unnest(terms) AS term
         WHERE term = ANY($3::uuid[]) GROUP BY term, block`,
}

export const setFolded: Statement = {
  name: 'set_folded',
  text: `UPDATE collections SET folded_us = greatest(folded_us, $3::bigint), unfolded = greatest(unfolded - $4::bigint, 0) WHERE ${own}`,
}

export const setUnfolded: Statement = {
  name: 'set_unfolded',
  text: `UPDATE collections SET unfolded = $3::bigint WHERE ${own} AND unfolded >= $4::bigint`,
}

export const takeStale: Statement = {
  name: 'take_stale',
  text: `WITH taken AS (DELETE FROM stale_documents WHERE ${own} AND created_us = ANY(ARRAY(
             SELECT created_us FROM stale_documents WHERE ${own} ORDER BY created_us LIMIT $3::bigint))
           RETURNING created_us, terms)
         SELECT taken.terms, documents.terms, block, width_bucket(taken.created_us, stamps) - 1
         FROM taken JOIN blocks ON blocks.tenant = $1::uuid AND blocks.kind = $2::smallint
             AND first_us <= taken.created_us AND last_us >= taken.created_us
           LEFT JOIN documents ON documents.tenant = $1::uuid AND documents.kind = $2::smallint
             AND documents.created_us = taken.created_us`,
}

/** The bits to change, by block or by block and term. */
const masks = (by: string, from: string) =>
  `(SELECT ${by}, bit_or(set_bit(${none}, place, 1)) AS mask FROM ${from} GROUP BY ${by}) AS masks`

export const clearLive: Statement = {
  name: 'clear_live',
  text: `UPDATE blocks SET live = live & ~mask
         FROM ${masks('block', 'unnest($3::integer[], $4::integer[]) AS gone (block, place)')}
         WHERE ${own} AND blocks.block = masks.block`,
}

export const clearBits: Statement = {
  name: 'clear_term_bits',
  text: `UPDATE term_blocks SET bits = bits & ~mask
         FROM ${masks('term, block', 'unnest($3::uuid[], $4::integer[], $5::integer[]) AS gone (term, block, place)')}
         WHERE ${own} AND term_blocks.term = masks.term AND term_blocks.block = masks.block`,
}

/** Of folded terms only. */
export const setBits: Statement = {
  name: 'set_term_bits',
  text: `INSERT INTO term_blocks AS present (tenant, kind, term, block, bits)
         SELECT $1, $2, term, block, mask
         FROM ${masks('term, block', 'unnest($3::uuid[], $4::integer[], $5::integer[]) AS come (term, block, place)')}
         WHERE term IN (SELECT term FROM folded_terms WHERE ${own})
         ON CONFLICT (tenant, kind, term, block) DO UPDATE SET bits = present.bits | excluded.bits`,
}

/** Two neighbours that together have few documents left. */
export const findSparse: Statement = {
  name: 'find_sparse_blocks',
  text: `SELECT block, next, start_us, end_us FROM (
           SELECT block, lead(block) OVER later AS next, first_us - 1 AS start_us, lead(last_us) OVER later AS end_us,
             bit_count(live) + lead(bit_count(live)) OVER later AS left_over
           FROM blocks WHERE ${own} WINDOW later AS (ORDER BY block)) AS pairs
         WHERE left_over <= $3::bigint LIMIT 1`,
}

export const removeBlocks: Statement = {
  name: 'remove_blocks',
  text: `DELETE FROM blocks WHERE ${own} AND block = ANY($3::integer[])`,
}

export const removeTermBlocks: Statement = {
  name: 'remove_term_blocks',
  text: `DELETE FROM term_blocks WHERE ${own} AND term IN (SELECT term FROM folded_terms WHERE ${own})
           AND block = ANY($3::integer[])`,
}

/** From now on, totals are counted row by row. */
export const forget: Statement = {
  name: 'forget_folded',
  text: `UPDATE collections SET folded_us = NULL, known_stamps = NULL, known_documents = NULL WHERE ${own}`,
}

/** Removes the blocks of some terms. Repeated until there are none. */
export const removeSomeTerms: Statement = {
  name: 'remove_folded_terms',
  text: `WITH removed AS (DELETE FROM folded_terms WHERE ${own} AND term = ANY(ARRAY(
           SELECT term FROM folded_terms WHERE ${own} LIMIT 20)) RETURNING term)
         DELETE FROM term_blocks WHERE ${own} AND term IN (SELECT term FROM removed) RETURNING 1`,
}

export const hasFoldedTerms: Statement = {
  name: 'has_folded_terms',
  text: `SELECT 1 FROM folded_terms WHERE ${own} LIMIT 1`,
}

export const removeRest: readonly Statement[] = ['blocks', 'stale_documents'].map(table => ({
  name: `remove_all_${table}`,
  text: `DELETE FROM ${table} WHERE ${own}`,
}))

/** Begins to fold: nothing is in blocks yet. */
export const begin: Statement = {
  name: 'begin_folding',
  text: `UPDATE collections SET folded_us = -1, unfolded = documents, known_stamps = last_us + last_created_us,
           known_documents = documents WHERE ${own}`,
}

/** Over all tenants, and so without locks. */
export const staleCollections: Statement = {
  name: 'stale_collections',
  text: 'SELECT DISTINCT tenant, kind FROM stale_documents',
}
