import { once } from 'node:events'

/** Returns a function that prints lines, and waits while their reader is slow. It rejects once the reader is gone. */
export function linePrinter(output: NodeJS.WriteStream): (line: string) => Promise<void> {
  let gone: Error | undefined
  let isWatched = false
  return async line => {
    if (!isWatched) {
      // Otherwise the error would end the process.
      output.on('error', error => {
        gone = error
      })
    }
    isWatched = true
    if (gone) throw gone
    if (!output.write(`${line}\n`)) await once(output, 'drain')
  }
}
