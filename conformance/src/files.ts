import { existsSync, readFileSync } from 'node:fs'

/** Reads a file of the package, which is beside this one or one folder up. */
export function readPackageFile(name: string): string {
  const places = [`./${name}`, `../${name}`].map(place => new URL(place, import.meta.url))
  const [found = new URL(name, import.meta.url)] = places.filter(place => existsSync(place))
  return readFileSync(found, 'utf8')
}

/** Returns the text of the contract, which `npm run generate` copies into the package. */
export function readContract(): string {
  return readPackageFile('openapi.yaml')
}

/** Returns the content of a YAML file of the suite, or the titles of sections, which `npm run generate` writes as JSON. */
export function readParsed(name: 'openapi' | 'requirements' | 'expressions' | 'sections'): unknown {
  return JSON.parse(readPackageFile(`generated/${name}.json`))
}
