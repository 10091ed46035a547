import { Script } from 'node:vm'
import fc from 'fast-check'
import t from 'tap'
import { body, openSandbox } from '../_fixture.ts'
import { rewrite } from './rewrite.ts'

/** The words that the filters of a compartment look for. */
const filtered = /<!--|-->|(?<![.\w$])import(\s*(\(|\/[/*])|$)/

const value = (code: string) => new Script(`(() => { ${code}\n })()`).runInThisContext()

const harmless: readonly [name: string, code: string][] = [
  ['a line comment', `// import('a') <!-- -->\nreturn 1`],
  ['a block comment', `/* import(\n'a')\n--> */ return 1`],
  ['a string', `return "import('a') <!-- -->" + 'import(b)'`],
  ['an escaped string', `return '\\import(a) \\<!-- \\-->'`],
  ['a template', `return \`import(\${1}) <!-- \${2} -->\``],
  [
    'a regular expression',
    `return /import(a)|<!--|-->/.source.length > 0 && /^import(a)$/.test('importa') && /^<!-->$/.test('<!-->')`,
  ],
  ['a class of a regular expression', `return /^[+-->]$/.test('-') && !/^[+-->]$/.test('a')`],
  ['a decrement and a comparison', `let x = 2, n = 0; while (x-->0) n++; return n`],
  ['a member', `const o = { import(a) { return a }, 'import': 1 }; return [typeof o.import, o.import]`],
  ['a method', `const o = { import(a) { return a } }; return o.import(3)`],
  ['an optional method', `const o = { import: a => a }; return o?.import(3)`],
  [
    'a private one',
    `class A { #import(a) { return a } go() { return this.#import(4) } } return new A().go()`,
  ],
]

for (const [name, code] of harmless) {
  t.test(`${name} keeps its meaning and lines, and passes the filters`, async t => {
    const text = rewrite(code)
    t.notMatch(text, filtered)
    t.equal(text.split('\n').length, code.split('\n').length)
    t.same(value(text), value(code))
  })
}

t.test('code that is not known to be harmless stays unchanged', async t => {
  for (const code of ['return String.raw`import(a)`', 'return /(?<!--)a/.test("a")'])
    t.equal(rewrite(code), code)
})

t.test('a template inside a tagged one is rewritten, the tagged one is not', async t => {
  t.equal(rewrite(`f\`import(\${\`import(\`}\``), `f\`import(\${\`im\\x70ort(\`}\``)
})

t.test('an import is refused with its position', async t => {
  for (const code of [`import('a')`, `a\nimport.meta`, `import.source('a')`, `import a from 'a'`]) {
    t.throws(() => rewrite(code), { name: 'SyntaxError', message: /\(\d+:\d+\)$/ }, code)
  }
})

t.test('any text in a string or a template keeps its meaning', async t => {
  const piece = fc.constantFrom(
    ...['import', '(', ')', '<!--', '-->', '-', '>', '<', '!', '/*', '*/', '//'],
    ...['\\', 'x', ' ', '"', '`', '$', '{', "'", '\n'],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const text = pieces.join('')
      const quoted = `return [${JSON.stringify(text)}, \`${text.replace(/[`\\$]/g, '\\$&')}\`]`
      const written = rewrite(quoted)
      return !filtered.test(written) && JSON.stringify(value(written)) === JSON.stringify([text, text])
    }),
    { numRuns: 500 },
  )
  t.pass()
})

/** Code that must be rewritten, because it contains a word that the compartment would refuse. */
const read = (n: number | string) => body(`return { raw: 'import( ${n}' + /^-->$/.test('-->') }`)
const answered = (n: number | string) => ({ kind: 'answered', raw: `import( ${n}true` })

t.test('code that is nested too deeply is unusable, and its process goes on', async t => {
  const sandbox = openSandbox(t)
  t.match(await sandbox.formula(`/* import( */ ${'['.repeat(100_000)}`), {
    kind: 'unusable',
    detail: /^the code does not compile: /,
  })
  t.match(await sandbox.formula(read(1)), answered(1))
  t.equal(sandbox.counts().ended, 0)
})

t.test('rewritten code is kept, and so is code that does not compile', async t => {
  const sandbox = openSandbox(t)
  for (let n = 0; n < 20; n++) {
    t.match(await sandbox.formula('/* import( */ }'), { kind: 'unusable', detail: /\(1:14\)/ })
    t.match(await sandbox.formula(read(n)), answered(n))
    t.match(await sandbox.formula(read('always')), answered('always'))
  }
})
