/**
 * What a development server of Surrogate does for tests: `new Dev({ baseUrl, managementKey })`.
 *
 * @module
 */

export * from './client/index.ts'
