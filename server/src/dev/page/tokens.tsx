import { useEffect, useState } from 'preact/hooks'
import { send, useAction } from './api.ts'
import { Field, Form, KeyChoice } from './form.tsx'
import type { Access } from './keys.ts'
import { Copy, Empty, Failure, Json } from './show.tsx'
import { type Column, Table } from './table.tsx'
import type { Route } from './tabs.tsx'

interface Token {
  readonly id: string
  readonly type: string
  readonly data?: unknown
  readonly containers?: readonly string[]
  readonly created_at?: string
}

interface Page {
  readonly pagination: {
    readonly page_number: number
    readonly total_pages?: number
    readonly total_items?: number
  }
  readonly data: readonly Token[]
}

interface Asked {
  readonly key: string
  readonly query?: string | undefined
  readonly page: number
}

const size = 20

const columns: Column<Token>[] = [
  { label: 'Token', width: 'id', show: ({ id }) => <code title={id}>{id}</code> },
  { label: 'Type', width: 'kind', show: ({ type }) => type },
  {
    label: 'Data',
    width: 'path',
    from: 'tablet',
    show: ({ data }) =>
      data === undefined ? <span class="muted">not shown</span> : <code>{JSON.stringify(data)}</code>,
  },
  {
    label: 'Containers',
    width: 'application',
    from: 'laptop',
    show: ({ containers = [] }) => containers.join(', '),
  },
  {
    label: 'Created',
    width: 'date',
    from: 'laptop',
    show: ({ created_at = '' }) => created_at.slice(0, 19).replace('T', ' '),
  },
]

/** Tokens exactly as the server shows them to the chosen key. */
export function Tokens({ access, route }: { access: Access; route: Route }) {
  const { error, isBusy, run } = useAction()
  const [asked, setAsked] = useState<Asked>()
  const [page, setPage] = useState<Page>()
  const show = (wanted: Asked) =>
    run(async () => {
      setPage(undefined)
      setAsked(wanted)
      setPage(await read(access, wanted))
    })
  const preset = access.keys.find(({ kind }) => kind === 'private')?.key
  useEffect(() => {
    if (preset !== undefined) void show({ key: preset, page: 1 })
  }, [preset])
  return (
    <>
      <div class="toolbar">
        <Form
          label="Show"
          isPrimary
          isBusy={isBusy}
          onSend={({ key = '', query }) => show({ key, query, page: 1 })}
        >
          <KeyChoice label="As seen by" keys={access.keys} prefer="private" />
          <Field
            label="Id or search"
            name="query"
            width="grow"
            placeholder="all, or type:card AND NOT metadata.a:b"
          />
        </Form>
      </div>
      <Failure error={error} />
      <div role="status" class="results">
        {page?.data.length === 0 && <Empty title="This key sees no such tokens" />}
        {page && page.data.length > 0 && (
          <Table
            label="Tokens"
            columns={columns}
            rows={page.data}
            idOf={({ id }) => id}
            route={route}
            detail={token => (
              <>
                <div class="actions">
                  <Copy label="Copy id" text={() => token.id} />
                  <Copy label="Copy as JSON" text={() => JSON.stringify(token, null, 2)} />
                </div>
                <Json label={`Token ${token.id}`} value={token} />
              </>
            )}
          />
        )}
      </div>
      {page && asked && <Pages page={page} onPage={number => show({ ...asked, page: number })} />}
    </>
  )
}

/** Reads a page of tokens. A query without a colon is the id of a token. */
async function read(access: Access, { key, query, page }: Asked): Promise<Page> {
  if (query === undefined) return send(access, key, 'GET', `/tokens?size=${size}&page=${page}`)
  if (query.includes(':')) return send(access, key, 'POST', '/tokens/search', { query, size, page })
  const token = await send<Token>(access, key, 'GET', `/tokens/${encodeURIComponent(query)}`)
  return { pagination: { page_number: 1, total_pages: 1, total_items: 1 }, data: [token] }
}

function Pages({ page, onPage }: { page: Page; onPage(number: number): void }) {
  const { page_number: number, total_pages: pages = 1, total_items: items } = page.pagination
  if (pages <= 1 && number === 1) return null
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" disabled={number <= 1} onClick={() => onPage(number - 1)}>
        Previous
      </button>
      <span class="muted">
        Page {number} of {pages}
        {items === undefined ? '' : `, ${items} tokens`}
      </span>
      <button type="button" disabled={number >= pages} onClick={() => onPage(number + 1)}>
        Next
      </button>
    </nav>
  )
}
