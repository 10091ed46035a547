/** Optional features of a target, beyond tokens with one private key; README.md describes them. */
export const capabilities = [
  'public',
  'management',
  'applications',
  'second-tenant',
  'second-management',
  'clock',
  'callbacks',
  'webhook-signature',
] as const

export type Capability = (typeof capabilities)[number]

export const isCapability = (name: string): name is Capability =>
  capabilities.some(capability => capability === name)
