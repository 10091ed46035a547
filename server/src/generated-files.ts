/** The folder of files that `npm run generate` makes; it is beside this file, also in the built package. */
export const generatedFiles = new URL('./generated/', import.meta.url)
