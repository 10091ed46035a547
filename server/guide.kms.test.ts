import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readMasterKey } from './src/options/master-key-variables.ts'

/** The program of the guide that gets the master key from AWS KMS. */
const page = readFileSync(new URL('guide/configure.md', import.meta.url), 'utf8')
const [, program = ''] = /```js\n([^`]*@aws-sdk\/client-kms[^`]*)```/.exec(page) ?? []

/** Stands in for the client of the service: encrypts with a key of its own, bound to the context. */
const client = `
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
const key = Buffer.alloc(32, 'the service')
const bound = ({ EncryptionContext }) => Buffer.from(JSON.stringify(EncryptionContext))
export class GenerateDataKeyWithoutPlaintextCommand {
  constructor(input) { this.input = input }
  run() {
    if (this.input.KeyId !== 'alias/surrogate' || this.input.KeySpec !== 'AES_256') throw new Error('not found')
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound(this.input))
    const sealed = Buffer.concat([cipher.update(randomBytes(32)), cipher.final()])
    return { CiphertextBlob: new Uint8Array(Buffer.concat([iv, sealed, cipher.getAuthTag()])) }
  }
}
export class DecryptCommand {
  constructor(input) { this.input = input }
  run() {
    const blob = this.input.CiphertextBlob
    const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAAD(bound(this.input))
    decipher.setAuthTag(blob.subarray(-16))
    return { Plaintext: new Uint8Array(Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()])) }
  }
}
export class KMSClient { async send(command) { return command.run() } }
`

t.test('the program in the guide gets the master key from a key management service', async t => {
  t.ok(program.trimEnd().split('\n').length <= 20, 'it has at most 20 lines')
  const folder = t.testdir({ 'master-key.mjs': program })
  const installed = join(folder, 'node_modules/@aws-sdk/client-kms')
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(installed, 'package.json'), '{"type":"module","exports":"./index.js"}')
  writeFileSync(join(installed, 'index.js'), client)
  const [script, file] = [join(folder, 'master-key.mjs'), join(folder, 'master-key.sealed')]
  const make = () =>
    execFileSync(process.execPath, [script, file, 'alias/surrogate'], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.equal(make().toString(), '', 'the key is not printed when it is made')

  const { PATH } = process.env
  const command = `'${process.execPath}' '${script}' '${file}'`
  const read = () => readMasterKey({ PATH, SURROGATE_MASTER_KEY_COMMAND: command }, 'SURROGATE_MASTER_KEY')
  const key = read()
  t.equal(key?.length, 32)
  t.same(read(), key, 'the same at each start')
  t.throws(make, 'a file with a key is not replaced')
  t.same(read(), key)

  writeFileSync(file, readFileSync(file).reverse())
  t.throws(read, { name: 'ConfigError', message: /ended with exit code 1/ }, 'nothing else opens')
})
