import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Route } from './tabs.tsx'

export interface Column<T> {
  readonly label: string
  /** A class of the column's cells: how wide it is. */
  readonly width: string
  /** The smallest screen that shows it; any, if absent. */
  readonly from?: 'tablet' | 'laptop'
  show(row: T): ComponentChildren
}

interface Props<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  idOf(row: T): string
  readonly route: Route
  /** Shows the rest of an opened row. */
  detail(row: T): ComponentChildren
}

/** A table whose rows open to show more. The button of a row is in its first cell; a click anywhere in it does the same. */
export function Table<T>({ label, columns: all, rows, idOf, route, detail }: Props<T>) {
  const isShown = useScreen()
  const columns = all.filter(({ from }) => from === undefined || isShown[from])
  return (
    <table>
      <caption class="hidden">{label}</caption>
      <thead>
        <tr>
          {columns.map(column => (
            <th key={column.label} scope="col" class={column.width}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      {rows.map(row => {
        const id = idOf(row)
        const isOpen = route.opened === id
        return (
          <tbody key={id} class={isOpen ? 'open' : undefined}>
            <Row
              columns={columns}
              row={row}
              isOpen={isOpen}
              toggle={() => route.open(isOpen ? undefined : id)}
            />
            {isOpen && (
              <tr class="detail">
                <td colSpan={columns.length}>{detail(row)}</td>
              </tr>
            )}
          </tbody>
        )
      })}
    </table>
  )
}

const screens = { tablet: matchMedia('(min-width: 40rem)'), laptop: matchMedia('(min-width: 64rem)') }

const present = () => ({ tablet: screens.tablet.matches, laptop: screens.laptop.matches })

/** Returns which screens this one is as wide as. */
function useScreen() {
  const [isShown, set] = useState(present)
  useEffect(() => {
    const onChange = () => set(present())
    for (const screen of Object.values(screens)) screen.addEventListener('change', onChange)
    return () => {
      for (const screen of Object.values(screens)) screen.removeEventListener('change', onChange)
    }
  }, [])
  return isShown
}

interface RowProps<T> extends Pick<Props<T>, 'columns'> {
  readonly row: T
  readonly isOpen: boolean
  toggle(): void
}

function Row<T>({ columns, row, isOpen, toggle }: RowProps<T>) {
  const onClick = ({ target }: Event) => {
    const isText = getSelection()?.type === 'Range'
    if (!isText && target instanceof Element && !target.closest('button, a')) toggle()
  }
  return (
    <tr class="row" onClick={onClick}>
      {columns.map((column, index) => (
        <td key={column.label} class={column.width}>
          {index > 0 ? (
            column.show(row)
          ) : (
            <button type="button" class="toggle" aria-expanded={isOpen} onClick={toggle}>
              {column.show(row)}
            </button>
          )}
        </td>
      ))}
    </tr>
  )
}
