// What would change in the model, how much torques would, and only then the button that does it.
import './identification.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { t } from '../words.js'
import { get, post, once } from '../api.js'
import { FormDialog } from '../ui/dialog.js'
import { Check, Field, Refusal, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { figure, plusMinus } from '../ui/format.js'

const PARTS = ['inertial', 'friction', 'rotor_inertia']

// run: an identification, or one of friction alone (kind, its parts); joints: their names.
export function Promote({ run, kind = 'identifications', parts = PARTS, joints = run.parameters?.friction.map(({ joint }) => joint), onClose, onDone }) {
  const [include, setInclude] = useState(parts)
  const [accepted, setAccepted] = useState([])
  const [reason, setReason] = useState('')
  const path = `v1/${kind}/${run.id}/promote`
  const model = useAnswer((signal) => get(`v1/robots/${run.robot}`, {}, signal), [run.robot])
  const base = model.value?.revision
  const codes = [...new Set([...run.warnings.map((one) => one.code), ...(run.physically_consistent === false ? ['not_physically_consistent'] : [])])]
  const preview = useAnswer(async (signal) => base && include.length ? post(path, { base_revision: base, dry_run: true, include, acknowledge: codes }, { signal }) : undefined, [base, include.join()])
  const promote = async () => onDone(await post(path, { base_revision: base, include, acknowledge: accepted, reason }, { headers: once() }))
  const toggle = (list, one) => (list.includes(one) ? list.filter((other) => other !== one) : [...list, one])
  const change = preview.value
  return html`<${FormDialog} title=${t('promote_title')} does=${t('promote_do', { revision: (base ?? 0) + 1 })} role="engineer" disabled=${!change || codes.some((code) => !accepted.includes(code))} send=${promote} onClose=${onClose}>
    <p>${t('promote_text', { robot: run.robot })}</p>
    <${Refusal} error=${model.error ?? preview.error} />
    ${parts.length > 1 && html`<fieldset><legend>${t('promote_include')}</legend><div class="row">${parts.map((part) => html`<${Check} key=${part} label=${t(`include.${part}`)} checked=${include.includes(part)} onChange=${() => setInclude(toggle(include, part))} />`)}</div></fieldset>`}
    ${change && html`
      <p><strong>${t('promote_torque')}</strong>: ${change.max_torque_change.map((value, j) => html`<span key=${j} class="tag">${joints[j]}: ${figure(value, 3)}</span>`)}</p>
      <h3>${t('promote_changes', { count: change.changes.length })}</h3>
      <div style=${{ maxHeight: '34vh', overflow: 'auto' }}><${Table} caption=${t('promote_title')} id=${(row) => row.pointer} items=${change.changes} columns=${[
        { key: 'pointer', head: t('pointer'), cell: (row) => html`<code>${row.pointer}</code>` },
        { key: 'old', head: t('old'), number: true, cell: (row) => figure(row.old, 6) },
        { key: 'new', head: t('new'), number: true, cell: (row) => (row.std ? plusMinus(row.new, row.std) : figure(row.new, 6)) },
      ]} /></div>`}
    ${codes.map((code) => html`<${Check} key=${code} label=${t('acknowledge', { code })} checked=${accepted.includes(code)} onChange=${() => setAccepted(toggle(accepted, code))} />`)}
    <${Field} label=${t('reason')}><input maxlength="1024" value=${reason} onInput=${(e) => setReason(e.target.value)} /></${Field}>
  </${FormDialog}>`
}
