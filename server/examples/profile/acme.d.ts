/** The client of the imaginary vendor, as its package declares it. */
export interface Acme {
  tokens: {
    create(token: NewToken): Promise<Token>
    retrieve(id: string): Promise<Token>
    update(id: string, changes: Partial<Omit<NewToken, 'type' | 'privacy'>>): Promise<Token>
    delete(id: string): Promise<void>
    list(query?: { page?: number; size?: number }): Promise<Page>
    search(search: { query: string; page?: number; size?: number }): Promise<Page>
  }
  /** Replaces values, and descriptions of tokens, by tokens. */
  tokenize(payload: unknown): Promise<unknown>
  /** Replaces `{{ id }}` by the data of a token. */
  detokenize(payload: unknown): Promise<unknown>
  reactors: {
    react(id: string, invocation: { args: object }): Promise<{ raw?: unknown; tokens?: unknown }>
  }
}

export interface Privacy {
  classification?: 'general' | 'bank' | 'pci' | 'pii'
  impactLevel?: 'low' | 'moderate' | 'high'
  restrictionPolicy?: 'mask' | 'redact'
}

export interface NewToken {
  type: string
  data: unknown
  privacy?: Privacy
  metadata?: Record<string, string>
  searchIndexes?: string[]
  deduplicateToken?: boolean
  expiresAt?: string
}

export interface Token extends Omit<NewToken, 'deduplicateToken'> {
  id: string
  tenantId: string
  createdBy: string
  createdAt: string
  modifiedBy?: string
  modifiedAt?: string
}

export interface Page {
  pagination: { totalItems: number; pageNumber: number; pageSize: number; totalPages: number }
  data: Token[]
}

/** What the methods reject with. */
export interface AcmeError extends Error {
  data: { title: string; status: number; errors?: Record<string, string[]> }
}
