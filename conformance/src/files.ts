import { existsSync, readFileSync } from 'node:fs'

/** Reads a file of the package. From the sources and from `dist/` it lies at most one folder up. */
export function readPackageFile(name: string): string {
  const places = [`./${name}`, `../${name}`].map(place => new URL(place, import.meta.url))
  const [found = new URL(name, import.meta.url)] = places.filter(place => existsSync(place))
  return readFileSync(found, 'utf8')
}

/** The contract, as `npm run generate` copied it into the package. */
export function readContract(): string {
  return readPackageFile('openapi.yaml')
}
