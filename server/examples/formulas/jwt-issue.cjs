// Issues a short-lived JSON Web Token about a customer for another service.
const base64url = value => Buffer.from(JSON.stringify(value)).toString('base64url')

module.exports = async ({ args: { customer, now }, configuration }) => {
  const head = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: customer, iat: now, exp: now + 300 })}`
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(configuration.KEY),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(head))
  return { raw: { token: `${head}.${Buffer.from(signature).toString('base64url')}` } }
}
