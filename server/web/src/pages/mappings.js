// The mappings of columns that logs of drives are read by.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Head, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { Mapping } from './mapping.js'

extend({
  mappings_text: ['How columns of the logs of drives become positions, velocities and torques.', '驱动器日志的列如何对应位置、速度和力矩。'],
  mapping_change: ['Change …', '修改……'],
  mapping_remove: ['Delete …', '删除……'],
  mapping_remove_ask: ['Delete the mapping {name}?', '删除映射 {name}？'],
  mapping_new: ['New mapping …', '新建映射……'],
  mapping_columns: ['Becomes', '对应'],
  mapping_need_robot: ['A mapping begins with the joints of a robot: add one first.', '映射以机器人的关节为基础：请先添加机器人。'],
})

export function Page() {
  const list = useList('v1/mappings', { limit: 100 })
  const robots = useAnswer((signal) => get('v1/robots', { limit: 1 }, signal))
  const robot = robots.value?.items[0]?.name
  const [open, setOpen] = useState(null) // { edit: name or '' } or { remove: name }
  const close = () => setOpen(null)
  const done = () => {
    close()
    list.again()
  }
  const remove = async () => {
    await call('DELETE', `v1/mappings/${encodeURIComponent(open.remove)}`, { etag: '*' })
    done()
  }
  return html`<${Head} title=${t('page.mappings')} sub=${t('mappings_text')}><${Act} role="engineer" class="main" disabled=${!robot} onClick=${() => setOpen({ edit: '' })}>${t('mapping_new')}</${Act}></${Head}>
    <${Refusal} error=${list.error ?? robots.error} />
    ${robots.value && !robot && html`<${Notice}>${t('mapping_need_robot')}</${Notice}>`}
    <div class="panel"><${Table} tall caption=${t('page.mappings')} id=${(one) => one.name} items=${list.items} list=${list} columns=${[
      { key: 'name', head: t('mapping_name'), cell: (one) => html`<bdi>${one.name}</bdi>` },
      { key: 'time', head: 't', cell: (one) => html`<code>${one.time?.rate ? `${one.time.rate} Hz` : `${one.time?.column ?? one.time?.number ?? ''} [${one.time?.unit ?? 's'}]`}</code>` },
      { key: 'columns', head: t('mapping_columns'), class: 'wide', cell: (one) => html`<span class="quiet">${Object.entries(one.columns ?? {}).map(([to, from]) => `${to} ← ${from.column ?? from.number} [${from.unit ?? ''}]`).join(', ')}</span>` },
      { key: 'do', head: '', cell: (one) => html`<div class="row"><${Act} role="engineer" onClick=${() => setOpen({ edit: one.name })}>${t('mapping_change')}</${Act}><${Act} role="engineer" onClick=${() => setOpen({ remove: one.name })}>${t('mapping_remove')}</${Act}></div>` },
    ]} /></div>
    ${open?.edit != null && html`<${Mapping} name=${open.edit} robot=${robot} onClose=${close} onSaved=${done} />`}
    ${open?.remove && html`<${FormDialog} title=${t('mapping_remove_ask', { name: open.remove })} does=${t('delete')} kind="danger" role="engineer" send=${remove} onClose=${close}><p><bdi>${open.remove}</bdi></p></${FormDialog}>`}`
}
