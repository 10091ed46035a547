/** Usual ones for a machine of this size; every commit waits for the disk. */
export const postgresSettings = {
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '64MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
  random_page_cost: '1.1',
  jit: 'off',
}
