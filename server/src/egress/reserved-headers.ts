/**
 * Headers that nobody but this server and its operator may set on a response, because programs in front of it, or
 * browsers, act upon them. Neither a target of `/proxy` nor a formula can. Patterns of names in lower case.
 *
 * Kept: `etag` and `last-modified`, by which APIs detect concurrent changes, and which let nobody store a response;
 * `link`, by which APIs name further pages; `location` and `www-authenticate`, without which a 3xx or 401 is no use.
 * Headers with a meaning in requests only, such as `x-forwarded-for`, are harmless.
 */
const actedUpon: readonly RegExp[] = [
  // nginx, Caddy: redirects to internal locations, buffering, caching, rate limits. mod_zip: files of the host.
  /^x-accel-|^x-archive-files$/,
  // Apache, lighttpd, Cherokee and application servers: files of the host.
  /^x-send-?file|^x-lighttpd-/,
  // Perlbal: other addresses and files. LiteSpeed: internal redirects, its cache. IIS: affinity of sessions.
  /^x-reproxy-|^x-litespeed-|^x-lscache|^arr-/,
  // Envoy: one of them takes this server out of service. App Engine: stored blobs. Next.js and Netlify: rewrites, caches.
  /^x-envoy-|^x-appengine-|^x-middleware-|^x-nextjs-|^(x-)?netlify-/,
  // Caches: only this server says what may be stored.
  /^(cache-control|expires|pragma|age|vary|no-vary-search|use-as-dictionary)$/,
  /^surrogate-|^edge-|^(x-)?cache-(tag|status)|^xkey$|^akamai-|cdn-cache-control$/,
  // Browsers: cookies, and who may read responses.
  /^set-cookie2?$|^access-control-|^timing-allow-origin$/,
  // Browsers: policies of an origin. They would stay after the response, or hold for pages of the operator. A content
  // security policy of a target protects nothing here, and would have browsers send their reports to it.
  /^(content-security-policy|x-content-security-policy|x-webkit-csp|permissions-policy|feature-policy|document-policy)/,
  /^(cross-origin-|integrity-policy|origin-agent-cluster|origin-trial|referrer-policy|x-permitted-cross-domain)/,
  /^(strict-transport-security|expect-ct|public-key-pins|x-frame-options|x-xss-protection|x-content-type-options)/,
  /^(service-worker-allowed|clear-site-data|report-to|reporting-endpoints|nel|accept-ch|critical-ch|alt-svc)$/,
  /^(refresh|speculation-rules|supports-loading-mode|set-login|activate-storage-access|attribution-reporting-.*)$/,
  /^(secure-session-|sec-session-|observe-browsing-topics$)/,
  /^(sourcemap|x-sourcemap|x-dns-prefetch-control|x-download-options|x-ua-compatible|x-robots-tag)/,
]

/**
 * True for a header that a target or a formula may not set.
 *
 * @param name in lower case
 * @param headerPrefix of this server's own headers, in lower case
 */
export function isReserved(name: string, headerPrefix: string): boolean {
  return isOwn(name, headerPrefix) || actedUpon.some(pattern => pattern.test(name))
}

/** With the prefix `X` only the headers that the server knows are its own: any other may be anybody's. */
function isOwn(name: string, headerPrefix: string): boolean {
  if (!name.startsWith(`${headerPrefix}-`)) return false
  return headerPrefix !== 'x' || /^x-(api-key|idempotency-key|trace-id|warning|members|proxy-.*)$/.test(name)
}
