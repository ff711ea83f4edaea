// Parts of the pages that are fetched when they are needed.
import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { t } from '../words.js'
import { Loading, Notice } from './parts.js'

export const Gone = () => html`<${Notice} kind="bad">${t('upgraded')} <button type="button" onClick=${() => location.reload()}>${t('reload')}</button></${Notice}>`

const fetched = new Map() // parts that came: they are there at once when they are opened again

// load: fetches a module whose Page is shown with the rest; beside: what else must have come.
export function Lazy({ load, beside, ...rest }) {
  const [came, set] = useState({})
  const page = fetched.get(load) ?? (came.load === load && came.page)
  useEffect(() => {
    let alive = true
    page || Promise.all([load(), beside?.()]).then(([{ Page }]) => fetched.set(load, Page) && Page, () => Gone).then((page) => alive && set({ load, page }))
    return () => (alive = false)
  }, [load])
  return page ? html`<${page} ...${rest} />` : html`<${Loading} />`
}
