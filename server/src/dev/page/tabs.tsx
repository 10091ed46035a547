import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface Tab {
  readonly id: string
  readonly label: string
  show(): ComponentChildren
}

/** Tabs: arrow keys move between them, and the digits from 1 choose one from anywhere but a field. */
export function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const [chosen, choose] = useState(0)
  const select = (index: number) => {
    choose(index)
    document.getElementById(`tab-${tabs[index]?.id}`)?.focus()
  }
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isField = event.target instanceof Element && event.target.matches('input, select, textarea')
      const index = Number(event.key) - 1
      if (isField || event.ctrlKey || event.altKey || event.metaKey || !tabs[index]) return
      select(index)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [tabs.length])
  const onArrow = (event: KeyboardEvent) => {
    const next = { ArrowRight: chosen + 1, ArrowLeft: chosen - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    select((next + tabs.length) % tabs.length)
  }
  const { id, show } = tabs[chosen] ?? tabs[0] ?? { id: '', show: () => null }
  return (
    <>
      <div role="tablist" aria-label="Views" onKeyDown={onArrow}>
        {tabs.map((tab, index) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            type="button"
            role="tab"
            aria-controls="panel"
            aria-selected={index === chosen}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => choose(index)}
          >
            <kbd>{index + 1}</kbd> {tab.label}
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
