/** The folder of files that `npm run generate` makes for the running server; beside this file, also in the built package. */
export const generatedFiles = new URL('./generated/', import.meta.url)
