import { useEffect, useState } from 'preact/hooks'

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
