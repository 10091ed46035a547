/**
 * `npm run unit [-- FLAG… PATH…]`: compiles tests and runs them by tap, which gets the flags. Without paths it runs all
 * tests of a layer: those of `npm test`, or those of `--layer=ci` or `--layer=nightly`.
 */

import { runTests } from './run-tests.ts'
import { isLayer, layers, testsOf, testsOfLayer } from './tests.ts'

const layerFlag = '--layer='
const words = process.argv.slice(2)
const paths = words.filter(word => !word.startsWith('-'))
const layer = words.find(word => word.startsWith(layerFlag))?.slice(layerFlag.length) ?? 'test'
if (!isLayer(layer)) throw new Error(`--layer must be one of ${layers.join(', ')}`)
process.exitCode = await runTests({
  tests: paths.length > 0 ? testsOf(paths) : testsOfLayer(layer),
  flags: words.filter(word => word.startsWith('-') && !word.startsWith(layerFlag)),
  keepsCompiled: paths.length === 0 && layer === 'test',
})
