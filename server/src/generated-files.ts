/** What `npm run generate` makes for the server to read while it runs; beside this file, also once it is built. */
export const generatedFiles = new URL('./generated/', import.meta.url)
