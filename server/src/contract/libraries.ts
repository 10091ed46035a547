/**
 * The parts of openapi-backend and ajv that serve requests. `npm run generate` bundles them into
 * `generated/openapi-backend.cjs`: as packages they are several hundred files, which take longer to load than all else.
 */
export { Ajv } from 'ajv'
export { fullFormats } from 'ajv-formats/dist/formats.js'
export { OpenAPIRouter, OpenAPIValidator } from 'openapi-backend'
