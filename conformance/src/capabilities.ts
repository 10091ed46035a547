/** Abilities of a target that some cases need, beyond tokens with one private key. README.md describes each. */
export const capabilities = [
  'public',
  'management',
  'applications',
  'masked-caller',
  'redacted-caller',
  'limited-caller',
  'second-tenant',
  'second-management',
  'clock',
  'callbacks',
  'webhook-signature',
  'read-your-writes',
] as const

export type Capability = (typeof capabilities)[number]

export const isCapability = (name: string): name is Capability =>
  capabilities.some(capability => capability === name)
