// Only in CI: it starts servers and programs in other languages.
// In a process of its own: it starts servers and programs in other languages.
/**
 * Runs the programs that the page of other languages shows, each with the language if it is installed. `npx` starts the
 * server of this repository. The examples in curl are run with those of the other pages.
 */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { programArguments } from './verify/support/process.ts'

const page = readFileSync(new URL('guide/other-languages.md', import.meta.url), 'utf8')
const shown = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)

const isThere = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const missing = (what: string, program: string, ...args: string[]) =>
  isThere(program, ...args) ? false : `${what} is not installed`

const quote = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Runs a program in a folder with these files, and with an `npx` that starts our server. */
async function run(
  t: Test,
  files: Record<string, string>,
  program: string,
  ...args: string[]
): Promise<string> {
  const folder = t.testdir({ ...files, bin: {}, home: {} })
  const npx = join(folder, 'bin/npx')
  const quoted = [process.execPath, ...programArguments()].map(quote).join(' ')
  writeFileSync(npx, `#!/bin/sh\n[ "$1" = @surrogate/server ] || exit 9\nshift\nexec ${quoted} "$@"\n`)
  chmodSync(npx, 0o755)
  const { PATH = '', HOME = '' } = process.env
  const env = {
    PATH: `${folder}/bin:${PATH}`,
    HOME,
    GOFLAGS: '-mod=mod',
    GOCACHE: `${folder}/home`,
    GOTOOLCHAIN: 'local',
  }
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: folder, env }).catch(
    error => error,
  )
  return `${stdout}${stderr}`
}

const [helper = '', conftest = '', recipes = ''] = shown('python')
const names = [...recipes.matchAll(/^def (test_\w+)/gm)].map(([, name = '']) => name)

t.test('Python, by its standard library', { skip: missing('python3', 'python3', '-c', '0') }, async t => {
  t.equal(names.length, 4)
  const main = `
from surrogate_vault import Vault
import test_recipes
vault = Vault()
try:
    for name in ${JSON.stringify(names)}:
        getattr(test_recipes, name)(vault.tenant())
        print(name, "passed")
    tenant = vault.tenant()
    tenant.call("GET", "/tokens")
    try:
        tenant.received(operation="tokens.create")
    except AssertionError as error:
        print("refused:", error)
finally:
    vault.close()
`
  const files = { 'surrogate_vault.py': helper, 'test_recipes.py': recipes, 'main.py': main }
  const printed = await run(t, files, 'python3', '-W', 'error', 'main.py')
  for (const name of names) t.match(printed, `${name} passed`)
  t.match(printed, /refused: .*'member': 'operation'.*'received': 'tokens\.list'/, printed)
})

t.test('pytest', { skip: missing('pytest', 'python3', '-m', 'pytest', '--version') }, async t => {
  const failing = `
def test_that_fails(tenant):
    tenant.call("POST", "/tokens", {"type": "token", "data": "42" * 8})
    assert False


def test_that_leaves_a_fault(tenant):
    tenant.dev("POST", "/faults", {"status": 503})
`
  const files = { 'surrogate_vault.py': helper, 'conftest.py': conftest, 'test_recipes.py': recipes }
  t.match(await run(t, files, 'python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'), /4 passed/)
  const printed = await run(
    t,
    { ...files, 'test_failing.py': failing },
    'python3',
    ...['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_failing.py', '--tb=short'],
  )
  t.match(printed, /1 failed, 1 passed, 1 error/)
  t.match(printed, /"operation": "tokens\.create"/, 'the requests are printed')
  t.match(printed, /these faults were not used/)
  t.notMatch(printed, '4242424242424242')
})

t.test('Java', { skip: missing('a JDK', 'javac', '-version') }, async t => {
  const main = `
public class Main {
  public static void main(String[] args) throws Exception {
    try (SurrogateVault vault = new SurrogateVault()) {
      String tenant = vault.tenant();
      String body = "{\\"type\\":\\"token\\",\\"data\\":1}";
      int status = vault.send("POST", "/tokens", SurrogateVault.member(tenant, "private_key"), body).statusCode();
      String pattern = "{\\"operation\\":\\"tokens.create\\"}";
      String found = vault.send("POST", "/_dev/requests/match", SurrogateVault.member(tenant, "management_key"), pattern).body();
      System.out.println(status + " " + SurrogateVault.member(found, "operation"));
    }
  }
}`
  const [code = ''] = shown('java')
  const files = { 'SurrogateVault.java': code, 'Main.java': main }
  const printed = await run(
    t,
    files,
    'sh',
    '-c',
    'javac -Xlint:all -Werror -d out *.java && java -cp out Main',
  )
  t.match(printed, /^201 tokens\.create$/m, printed)
})

t.test('Go', { skip: missing('go', 'go', 'version') }, async t => {
  const [code = ''] = shown('go')
  const files = { 'vault_test.go': code, 'go.mod': 'module shop\n\ngo 1.18\n' }
  t.match(await run(t, files, 'go', 'test', '-count=1', '-v', '.'), /--- PASS: TestOutage/)
})
