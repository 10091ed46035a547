import { useState } from 'preact/hooks'
import { useAction } from './action.ts'
import { send } from './api.ts'
import { Field, Form, KeyChoice } from './form.tsx'
import type { Access } from './keys.ts'
import { Entry, Failure, Json } from './show.tsx'

interface Token {
  readonly id: string
  readonly type: string
}

interface Page {
  readonly pagination: { readonly total_items?: number }
  readonly data: readonly Token[]
}

/** Tokens exactly as the server shows them to the chosen key. */
export function Tokens({ access }: { access: Access }) {
  const { error, isBusy, run } = useAction()
  const [shown, setShown] = useState<readonly Token[]>()
  const list = ({ key = '', query, page = '1' }: Record<string, string>) =>
    run(async () => {
      setShown(undefined)
      const found =
        query === undefined
          ? await send<Page>(access, key, 'GET', `/tokens?size=20&page=${encodeURIComponent(page)}`)
          : await send<Page>(access, key, 'POST', '/tokens/search', { query, size: 20, page: Number(page) })
      setShown(found.data)
    })
  const get = ({ key = '', id = '' }: Record<string, string>) =>
    run(async () => {
      setShown(undefined)
      setShown([await send<Token>(access, key, 'GET', `/tokens/${encodeURIComponent(id)}`)])
    })
  return (
    <>
      <Form label="Show tokens" isBusy={isBusy} onSend={list}>
        <KeyChoice label="As seen by" keys={access.keys} prefer="private" />
        <Field label="Search (all, if empty)" name="query" placeholder="type:card AND NOT metadata.a:b" />
        <Field label="Page" name="page" type="number" value="1" />
      </Form>
      <Form label="Show one token" isBusy={isBusy} onSend={get}>
        <KeyChoice label="As seen by" keys={access.keys} prefer="private" />
        <Field label="Id" name="id" required />
      </Form>
      <Failure error={error} />
      {shown?.length === 0 && <p>This key sees no such tokens.</p>}
      <div role="status">
        {shown?.map(token => (
          <Entry
            key={token.id}
            summary={
              <>
                <code>{token.id}</code> <span class="muted">{token.type}</span>
              </>
            }
          >
            <Json value={token} />
          </Entry>
        ))}
      </div>
    </>
  )
}
