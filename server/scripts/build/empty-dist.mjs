/** Removes what earlier builds of the package in the working directory left: it would be published too. */
import { rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
