/** What a target may have besides the tokens of one private key. A closed list: any other name is an error. */
export const capabilities = {
  public: 'a key of a public application (`--public-key`)',
  management: 'a key of a management application (`--management-key`)',
  applications:
    'the endpoint `/applications`, by which the suite makes applications with few rights; looked for when the run starts',
  'second-tenant': 'a private key of another tenant (`--other-private-key`)',
  'second-management': 'a management key of that tenant (`--other-management-key`)',
  clock: 'a clock that can be moved forward (`--clock-url`)',
  callbacks: 'the target reaches this machine under a name or address (`--callback-host`)',
  'webhook-signature': 'the secret that webhooks are signed with (`--webhook-secret`)',
} as const

export type Capability = keyof typeof capabilities

export const isCapability = (name: string): name is Capability => Object.hasOwn(capabilities, name)
