import t from 'tap'
import { openProxy, target } from '../proxy/_fixture.ts'
import { readCustomResponse } from '../sandbox/protocol/report.ts'

/** By whom they are obeyed. */
const reserved: Readonly<Record<string, readonly string[]>> = {
  nginx: ['X-Accel-Redirect', 'X-Accel-Expires', 'X-Accel-Buffering', 'X-Accel-Anything', 'X-Archive-Files'],
  'Apache and lighttpd': ['X-Sendfile', 'X-Sendfile2', 'X-Send-File', 'X-LIGHTTPD-Send-File'],
  'other proxies': [
    ...['X-Reproxy-URL', 'X-Reproxy-File', 'X-LiteSpeed-Location', 'X-LiteSpeed-Cache-Control', 'X-LSCache'],
    ...['X-Envoy-Immediate-Health-Check-Fail', 'X-Envoy-Degraded', 'X-AppEngine-BlobKey'],
    'Arr-Disable-Session-Affinity',
    ...['X-Middleware-Rewrite', 'X-NextJS-Cache', 'Netlify-Vary'],
  ],
  caches: [
    ...[
      'Cache-Control',
      'Expires',
      'Pragma',
      'Age',
      'Vary',
      'Surrogate-Control',
      'Surrogate-Key',
      'Cache-Tag',
    ],
    ...[
      'CDN-Cache-Control',
      'Cloudflare-CDN-Cache-Control',
      'Edge-Control',
      'Cache-Status',
      ...['X-Cache-Tags', 'xkey', 'Akamai-Cache-Tag'],
      'Use-As-Dictionary',
    ],
  ],
  browsers: [
    ...['Secure-Session-Registration', 'Sec-Session-Registration', 'Observe-Browsing-Topics'],
    ...['Set-Cookie', 'Set-Cookie2', 'Strict-Transport-Security', 'Clear-Site-Data', 'Alt-Svc', 'Refresh'],
    ...['Access-Control-Allow-Origin', 'Access-Control-Allow-Credentials', 'Timing-Allow-Origin'],
    ...['Service-Worker-Allowed', 'Report-To', 'Reporting-Endpoints', 'NEL', 'Accept-CH', 'Critical-CH'],
    ...['Content-Security-Policy', 'Content-Security-Policy-Report-Only', 'X-Content-Security-Policy'],
    ...['X-WebKit-CSP', 'X-Frame-Options', 'X-XSS-Protection', 'Referrer-Policy', 'Origin-Agent-Cluster'],
    ...['Permissions-Policy', 'Feature-Policy', 'Document-Policy', 'Cross-Origin-Opener-Policy', 'Expect-CT'],
    ...['Cross-Origin-Resource-Policy', 'Cross-Origin-Embedder-Policy', 'Public-Key-Pins', 'Origin-Trial'],
    ...[
      'X-Permitted-Cross-Domain-Policies',
      'X-DNS-Prefetch-Control',
      'X-Download-Options',
      'X-UA-Compatible',
    ],
    ...['SourceMap', 'X-SourceMap', 'Speculation-Rules', 'Supports-Loading-Mode', 'X-Robots-Tag'],
    ...['Attribution-Reporting-Register-Source', 'Integrity-Policy', 'Set-Login'],
  ],
  'clients of this service': ['SVC-Trace-Id', 'SVC-API-KEY', 'SVC-IDEMPOTENCY-KEY', 'svc-anything'],
}
/** Each differs from a reserved one in a little, or is what APIs cannot do without. */
const kept = [
  ...[
    'X-Accelerated',
    'X-Shop-Sendfile',
    'X-Request-Id',
    'X-Acme-Trace-Id',
    'X-RateLimit-Remaining',
    'X-SVC-Id',
  ],
  ...['ETag', 'Last-Modified', 'Link', 'Retry-After', 'Content-Language', 'Content-Disposition', 'Location'],
  ...['WWW-Authenticate', 'Svcx', 'Cached'],
]

t.test('/proxy passes on the headers of a target, but none that others obey', async t => {
  const all = [...Object.values(reserved).flat(), ...kept]
  const { tenant } = await openProxy(t, (_, response) => {
    for (const name of all) response.setHeader(name, 'of-the-target')
    response.end('{}')
    return undefined
  })
  const { status, headers } = await tenant.send('GET', '/proxy', undefined, { 'SVC-PROXY-URL': target })
  t.equal(status, 200)
  for (const [who, names] of Object.entries(reserved))
    for (const name of names) t.not(headers.get(name), 'of-the-target', `${name}, for ${who}`)
  for (const name of kept) t.equal(headers.get(name), 'of-the-target', name)
})

t.test('a formula that chooses a response cannot set them either', async t => {
  const choose = (name: string, prefix = 'svc') =>
    readCustomResponse({ status: 200, headers: { [name]: 'a' } }, prefix)
  for (const [who, names] of Object.entries(reserved))
    for (const name of names)
      t.match(
        choose(name),
        { kind: 'failed', reason: 'shape', detail: /may (not|only) set/ },
        `${name}, for ${who}`,
      )
  for (const name of kept.filter(name => name.startsWith('X-')))
    t.match(choose(name), { kind: 'custom', headers: { [name.toLowerCase()]: 'a' } }, name)
  t.match(choose('X-Acme-Anything', 'x-acme'), { kind: 'failed', detail: /may not set/ })
  t.match(choose('X-Acmeish', 'x-acme'), { kind: 'custom' })
  for (const name of ['X-Trace-Id', 'X-Warning', 'X-Members'])
    t.match(choose(name, 'x'), { kind: 'failed', detail: /may not set/ }, name)
  t.match(choose('X-Mine', 'x'), { kind: 'custom' }, 'one that only begins like those of the service')
})
