import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { fakeClient, json } from '../testing/fakes.ts'
import { Surrogate } from './index.ts'
import { version } from './version.ts'

/** Gives the runtime another `navigator.userAgent` during a test. */
function runtimeIs(t: Test, userAgent: string | undefined): void {
  const value = userAgent === undefined ? undefined : { userAgent }
  t.intercept(globalThis, 'navigator' as never, { value, configurable: true, writable: true })
}

const browsers = {
  Firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  jsdom: 'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/29.1.1',
}

t.test('the version is that of the package', async t => {
  t.equal(version, JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
})

async function agentIn(t: Test, userAgent: string | undefined, headers?: Record<string, string>) {
  runtimeIs(t, userAgent)
  const { surrogate, sent } = fakeClient(() => json({}), {
    defaultHeaders: headers,
    dangerouslyAllowBrowser: true,
  })
  await surrogate.tokens.get('an-id')
  return sent[0]?.headers.get('user-agent')
}

t.test('the User-Agent names version and runtime', async t => {
  t.equal(await agentIn(t, 'Deno/2.1.4'), `surrogate-sdk/${version} Deno/2.1.4`)
  t.equal(await agentIn(t, 'Cloudflare-Workers'), `surrogate-sdk/${version} Cloudflare-Workers`)
  t.equal(await agentIn(t, undefined), `surrogate-sdk/${version} Node.js/${process.versions.node}`)
  t.equal(await agentIn(t, undefined, { 'User-Agent': 'shop/1' }), 'shop/1')
  t.equal(await agentIn(t, browsers.Firefox), null, 'a page may not set it for another origin')
})

for (const [name, userAgent] of Object.entries(browsers)) {
  t.test(`a private or management key is refused in ${name}`, async t => {
    const open = (apiKey: string, dangerouslyAllowBrowser?: boolean) => () =>
      new Surrogate({ apiKey, baseUrl: 'http://vault.test', dangerouslyAllowBrowser })
    t.doesNotThrow(open('key_prv_secret'), 'control: not in Node')
    runtimeIs(t, userAgent)
    for (const key of ['key_prv_secret', 'key_mgt_secret']) {
      t.throws(open(key), { name: 'TypeError', message: /dangerouslyAllowBrowser/ })
      t.doesNotThrow(open(key, true))
    }
    const page = open('key_pub_public')()
    t.doesNotThrow(() => page.withSession('a-session-key'))
    const fetch = async () => json({})
    const client = new Surrogate({ apiKey: 'key_pub_public', baseUrl: 'http://vault.test', fetch })
    await t.rejects(client.tokens.get('an-id', { apiKey: 'key_prv_secret' }), /dangerouslyAllowBrowser/)
    await t.resolves(client.tokens.get('an-id'))
  })
}
