import t from 'tap'
import { checkCallbackUrl } from './callback-url.ts'

/** Each URL with its expected error, and the error where private callbacks are allowed. */
const cases: readonly (readonly [url: string, fault: RegExp | undefined, privately: RegExp | undefined])[] = [
  ['https://hooks.example.org/done?x=1#y', undefined, undefined],
  ['https://hooks.example.org:8443/', undefined, undefined],
  ['https://93.184.215.14/', undefined, undefined],
  ['https://[2606:4700::1]/', undefined, undefined],
  [`https://a.test/${'p'.repeat(2048 - 15)}`, undefined, undefined],
  [`https://a.test/${'p'.repeat(2048 - 14)}`, /longer than 2048/, /longer than 2048/],
  ['', /must be a URL/, /must be a URL/],
  ['/done', /must be a URL/, /must be a URL/],
  ['hooks.example.org', /must be a URL/, /must be a URL/],
  ['https://', /must be a URL/, /must be a URL/],
  ['https://a b/', /must be a URL/, /must be a URL/],
  ['http://hooks.example.org/done', /must be https/, undefined],
  ['ftp://hooks.example.org/', /must be https$/, /must be https or http/],
  ['file:///etc/passwd', /must be https$/, /must be https or http/],
  ['javascript:alert(1)', /must be https$/, /must be https or http/],
  ['https://user@hooks.example.org/', /user name or password/, /user name or password/],
  ['https://:secret@hooks.example.org/', /user name or password/, /user name or password/],
  ['https://127.0.0.1/', /private address/, undefined],
  ['https://2130706433/', /private address/, undefined],
  ['https://0x7f.1/', /private address/, undefined],
  ['https://10.1.2.3/', /private address/, undefined],
  ['https://169.254.169.254/latest/meta-data', /private address/, undefined],
  ['https://[::1]/', /private address/, undefined],
  ['https://[::ffff:10.0.0.1]/', /private address/, undefined],
  ['https://localhost/', /private address/, undefined],
  ['https://LOCALHOST./', /private address/, undefined],
  ['https://hooks.localhost/', /private address/, undefined],
  ['https://localhost.example.org/', undefined, undefined],
]

t.test('a callback URL must be https and not private, unless private callbacks are allowed', async t => {
  const check = (url: string, allowPrivate: boolean, fault: RegExp | undefined) => {
    const found = checkCallbackUrl(url, { allowPrivate })
    if (fault === undefined) t.equal(found, undefined, url)
    else t.match(found ?? 'nothing', fault, url)
    t.notMatch(found ?? '', /secret|127|meta-data/, 'no value is repeated')
  }
  for (const [url, fault, privately] of cases) {
    check(url, false, fault)
    check(url, true, privately)
  }
})
