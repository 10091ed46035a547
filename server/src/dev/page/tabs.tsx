import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface Tab {
  readonly id: string
  readonly label: string
  /** Shown beside the label, if it is not 0. */
  readonly count?: number
  show(): ComponentChildren
}

interface Props {
  readonly tabs: readonly Tab[]
  readonly chosen: string
  onChoose(id: string): void
}

/** Tabs: arrow keys move between them. From anywhere but a field, digits choose one and a slash goes to its search. */
export function Tabs({ tabs, chosen, onChoose }: Props) {
  const found = tabs.findIndex(({ id }) => id === chosen)
  const index = Math.max(found, 0)
  const select = (next: number) => {
    const { id = '' } = tabs[next] ?? {}
    onChoose(id)
    document.getElementById(`tab-${id}`)?.focus()
  }
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isField = event.target instanceof Element && event.target.matches('input, select, textarea')
      if (isField || event.ctrlKey || event.altKey || event.metaKey) return
      const next = Number(event.key) - 1
      if (tabs[next]) select(next)
      const search = document.querySelector<HTMLElement>('main [type=search], main [name=query]')
      if (event.key !== '/' || !search) return
      event.preventDefault()
      search.focus()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
  useEffect(() => {
    document.title = `${tabs[index]?.label} · ${location.host} · Surrogate`
    document.getElementById(`tab-${tabs[index]?.id}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [index])
  const onArrow = (event: KeyboardEvent) => {
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    select((next + tabs.length) % tabs.length)
  }
  const { id, show } = tabs[index] ?? { id: '', show: () => null }
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Views" onKeyDown={onArrow}>
        {tabs.map((tab, at) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            type="button"
            role="tab"
            title={`Press ${at + 1}`}
            aria-controls="panel"
            aria-selected={at === index}
            aria-keyshortcuts={String(at + 1)}
            tabIndex={at === index ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.label}
            {tab.count ? <span class="muted"> {tab.count}</span> : null}
          </button>
        ))}
      </div>
      <main>
        <div id="panel" key={id} role="tabpanel" aria-labelledby={`tab-${id}`}>
          {show()}
        </div>
      </main>
    </>
  )
}

/** The view that is shown, and its opened row. */
export interface Route {
  readonly view: string
  readonly opened: string | undefined
  /** Shows another view. The browser's back button returns. */
  show(view: string): void
  /** Opens a row of this view, or closes it. */
  open(row: string | undefined): void
}

/** Keeps view and row in the fragment of the address, as `#requests/12`, so that it can be reloaded and shared. */
export function useRoute(): Route {
  const [fragment, setFragment] = useState(location.hash)
  useEffect(() => {
    const onChange = () => setFragment(location.hash)
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  const [view = '', row] = fragment.slice(1).split('/')
  return {
    view: view || 'requests',
    opened: row === undefined ? undefined : decodeURIComponent(row),
    show: next => {
      location.hash = next
    },
    open: next => {
      const address = `#${view || 'requests'}${next === undefined ? '' : `/${encodeURIComponent(next)}`}`
      history.replaceState(null, '', address)
      setFragment(address)
    },
  }
}
