// Asks a person who goes elsewhere although something was entered: over all that is open, the address is another one already, what is
// shown is not.
import { useEffect, useRef } from 'preact/hooks'
import { html } from '../html.js'
import { leave, stay } from '../route.js'
import { Stop } from '../stop.js'
import { extend, t } from '../words.js'

extend({
  leave_ask: ['What was entered on this page is not kept. Leave it?', '本页输入的内容尚未保存，要离开吗？'],
  stay: ['Stay', '留下'],
  leave_page: ['Leave', '离开'],
})

export function Page() {
  const at = useRef()
  useEffect(() => {
    at.current.showModal()
  }, [])
  return html`<dialog ref=${at} aria-label=${t('leave_ask')} onClose=${stay}><div class="head"><h2>${t('leave_ask')}</h2><${Stop} /></div>
    <div class="row end"><button type="button" class="main" onClick=${stay}>${t('stay')}</button><button type="button" onClick=${leave}>${t('leave_page')}</button></div></dialog>`
}
