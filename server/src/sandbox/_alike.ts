import { createRequire } from 'node:module'
import t from 'tap'
import { body, type TestSandbox } from './_fixture.ts'

const native = createRequire(import.meta.url)
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

/** Returns the body that an expression, or a block, stands for. */
export const program = (expression: string) =>
  expression.startsWith('{') ? expression : `return (${expression})`

/** Tests that each body has the same result in a formula as in Node, or throws in both. */
export function testAlike(sandbox: TestSandbox, bodies: readonly string[]): void {
  for (const code of bodies) {
    t.test(code, async t => {
      const inNode = await new AsyncFunction('require', 'process', code)(native, process).then(
        (value: unknown) => ({ value: JSON.parse(JSON.stringify(value ?? null)) }),
        () => 'throws',
      )
      const attempt = `try { return { raw: { value: JSON.parse(JSON.stringify((await (async () => { ${code} })()) ?? null)) } } } catch { return { raw: 'throws' } }`
      t.same(await sandbox.raw(body(attempt)), inNode)
    })
  }
}
