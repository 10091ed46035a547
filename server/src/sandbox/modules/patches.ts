import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Plugin } from 'esbuild'

const readsBeside = /\b\w+\.readFileSync\(__dirname \+ '(\/[\w./-]+)', '(?:utf8|utf-8)'\)/g

/** Makes data beside the code part of it, such as the fonts of `pdfkit`: a formula has no files. */
export const withData: Plugin = {
  name: 'data beside the code',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.c?js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('readFileSync(__dirname + ')) return undefined
      const beside = (name: string) => dirname(path) + name
      const contents = text.replace(readsBeside, (whole, name: string) =>
        existsSync(beside(name)) ? JSON.stringify(readFileSync(beside(name), 'utf8')) : whole,
      )
      return { contents }
    })
  },
}

/** Lets `bluebird` keep its classes of errors: it puts them on `Error`, which all invocations share. */
export const withOwnErrors: Plugin = {
  name: 'errors of bluebird',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]bluebird[\\/]js[\\/]\w+[\\/]errors\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        'defineProperty(Error, "__BluebirdErrorTypes__"',
        'defineProperty({}, "__BluebirdErrorTypes__"',
      ),
    }))
  },
}

/** Lets native code throw when it is loaded, for packages that can do without it. */
export const withoutNativeCode: Plugin = {
  name: 'native code',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\.node$/ }, ({ path }) => ({ path, namespace: 'native' }))
    onLoad({ filter: /./, namespace: 'native' }, () => ({
      contents: `throw new Error('formulas have no native code')`,
    }))
  },
}
