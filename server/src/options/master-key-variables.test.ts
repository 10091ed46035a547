import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readConfig } from './config.ts'
import { readMasterKey } from './master-key-variables.ts'

const key = Buffer.alloc(32, 7)
const text = key.toString('base64')
/** Commands run in the shell of the system, which needs the path to find programs. */
const { PATH } = process.env
const node = JSON.stringify(process.execPath)

t.test('a key is read from a variable, a file or a command', async t => {
  const file = join(t.testdir({ 'a key': `${text}\n` }), 'a key')
  for (const environment of [
    { KEY: text },
    { KEY: ` ${text} ` },
    { KEY: text.replace('=', '') },
    { KEY_FILE: file },
    { KEY_COMMAND: `echo ${text}`, PATH },
    // As of a service that keeps keys: the command has settings of its own.
    { KEY_COMMAND: `${node} -p process.env.ELSEWHERE`, ELSEWHERE: text },
    { KEY: text, KEY_FILE: '', KEY_COMMAND: '' },
  ])
    t.same(readMasterKey(environment, 'KEY'), key, JSON.stringify(environment))
  for (const environment of [{}, { KEY: '' }, { OTHER_KEY: text }])
    t.equal(readMasterKey(environment, 'KEY'), undefined)
})

t.test('what cannot be a key is refused in one line, which does not repeat it', async t => {
  const folder = t.testdir({ short: text.slice(4), hex: key.toString('hex'), empty: '' })
  mkdirSync(join(folder, 'folder'))
  writeFileSync(join(folder, 'bytes'), key)
  const file = (name: string) => ({ KEY_FILE: join(folder, name) })
  const command = (code: string) => ({ KEY_COMMAND: `${node} -e ${JSON.stringify(code)}` })
  const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ KEY: text.slice(4) }, /^KEY must be 32 bytes in base64/],
    [file('short'), /^the file in KEY_FILE must be 32 bytes in base64/],
    [file('hex'), /^the file in KEY_FILE must be/],
    [file('bytes'), /^the file in KEY_FILE must be/],
    [file('empty'), /^the file in KEY_FILE must be/],
    [file('none'), /^KEY_FILE: .*none cannot be read \(ENOENT\)$/],
    [file('folder'), /^KEY_FILE: .*folder cannot be read \(EISDIR\)$/],
    [command(`console.log('${text.slice(4)}')`), /^what KEY_COMMAND prints must be 32 bytes in base64/],
    [command(''), /^what KEY_COMMAND prints must be/],
    [command(`console.log('${text}'); process.exitCode = 3`), /ended with exit code 3$/],
    [
      command(`console.log('${text}'.repeat(1000))`),
      /^the command in KEY_COMMAND printed more than 4096 bytes$/,
    ],
    [{ KEY: text, ...file('short') }, /^set either KEY or KEY_FILE, not both$/],
    [{ ...file('short'), ...command('') }, /^set either KEY_FILE or KEY_COMMAND, not both$/],
  ]
  for (const [environment, says] of cases) {
    const error = (() => {
      try {
        return readMasterKey(environment, 'KEY')
      } catch (error) {
        return error
      }
    })() as Error
    t.match(error, { name: 'ConfigError', message: says })
    t.notMatch(error.message, text.slice(4, 12))
    t.notMatch(error.message, '\n')
  }
})

t.test('the server reads all three, but not to print its help', async t => {
  const file = join(t.testdir({ key: text }), 'key')
  t.match(readConfig([], { SURROGATE_MASTER_KEY_FILE: file }), { masterKey: key, masterKeyFile: file })
  t.match(readConfig([], { SURROGATE_MASTER_KEY_COMMAND: `echo ${text}`, PATH }), { masterKey: key })
  t.throws(() => readConfig([], { SURROGATE_MASTER_KEY_COMMAND: 'exit 1', PATH }))
  for (const flag of ['--help', '--version'])
    t.equal(readConfig([flag], { SURROGATE_MASTER_KEY_COMMAND: 'exit 1', PATH }).masterKey, undefined)
})
