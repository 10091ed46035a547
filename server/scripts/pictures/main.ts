/** `npm run pictures`: takes those of the README, in Debian's Chromium. */
import { fileURLToPath } from 'node:url'
import { takePictures } from './take-pictures.ts'

const tasks: (() => unknown)[] = []
try {
  const folder = fileURLToPath(new URL('../../../pictures/', import.meta.url))
  await takePictures({ teardown: task => void tasks.unshift(task) }, folder, 4000)
} finally {
  for (const task of tasks) await task()
}
