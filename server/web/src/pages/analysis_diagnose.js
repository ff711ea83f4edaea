// Torques of another program, pasted with the motion that they belong to: which usual mistake explains how they differ from ours.
import './mistakes.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { language } from '../session.js'
import { useUnsaved } from '../route.js'
import { extend, t } from '../words.js'
import { post } from '../api.js'
import { Act, Check, Field, Notice, Refusal } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { numberOf } from '../ui/asking.js'
import { figure } from '../ui/format.js'

extend({
  diagnose_rows: ['Samples: q, q̇, q̈ and τ of every joint, {columns} numbers in a line', '样本：各关节的 q、q̇、q̈ 与 τ，每行 {columns} 个数'],
  diagnose_hint: ['Some tens of them, with moving joints; commas, semicolons, tabs or spaces between. A first line of names is left out.', '数十行，关节应在运动；以逗号、分号、制表符或空格分隔。首行列名将被忽略。'],
  diagnose_file: ['From a file', '从文件读取'],
  diagnose_columns: ['Line {line} has {count} numbers, not {columns}', '第 {line} 行有 {count} 个数，应为 {columns} 个'],
  diagnose_friction: ["They are meant to hold the model's friction", '力矩应包含模型的摩擦'],
  diagnose_tolerance: ['Agreement, relative', '一致的相对误差'],
  diagnose_do: ['Which mistake is it?', '查找错误'],
  'verdict.agrees': ['They agree with this model: {error} % are left.', '与该模型一致：余差 {error} %。'],
  'verdict.explained': ['They differ by {error} %, and one finding explains it.', '相差 {error} %，下列第一项可以解释。'],
  'verdict.ambiguous': ['They differ by {error} %; these samples do not tell the first findings apart: send others.', '相差 {error} %；这些样本无法区分前几项，请提供其他样本。'],
  'verdict.unexplained': ['They differ by {error} %, and no usual mistake explains it; these come nearest.', '相差 {error} %，常见错误均无法解释；以下最为接近。'],
  diagnose_by_joint: ['By joint', '各关节'],
  diagnose_findings: ['Findings', '可能的错误'],
  diagnose_mistake: ['Mistake', '错误'],
  diagnose_left: ['Left when we make it too [%]', '我方同样出错时的余差 [%]'],
  diagnose_order: ['Columns are those of {order}', '各列依次为 {order}'],
  diagnose_explains: ['explains it', '可以解释'],
  diagnose_unseen: ['Mistakes that nothing would show in these samples: {mistakes}', '这些样本无法显示的错误：{mistakes}'],
})

const SEPARATED = /[\s,;]+/
// Rows of numbers, and the first fault of them in words.
function rowsOf(text, columns) {
  const lines = text.split('\n').map((line, k) => ({ number: k + 1, parts: line.trim().split(SEPARATED).filter(Boolean) })).filter(({ parts }) => parts.length)
  if (lines.length && lines[0].parts.some((part) => !Number.isFinite(Number(part)))) lines.shift()
  const wrong = lines.find(({ parts }) => parts.length !== columns || parts.some((part) => !Number.isFinite(Number(part))))
  return { rows: lines.map(({ parts }) => parts.map(Number)), fault: wrong ? t('diagnose_columns', { line: wrong.number, count: wrong.parts.filter((part) => Number.isFinite(Number(part))).length, columns }) : '' }
}

const percentOf = (error) => figure(100 * error, 3)
const name = (mistake) => t(`mistake.${mistake}`)

function Told({ told, joints }) {
  const errors = (all) => all.map((one, j) => html`<div key=${joints[j]}><bdi>${joints[j]}</bdi> ${percentOf(one)} %</div>`)
  return html`<${Notice} kind=${told.verdict === 'agrees' ? 'good' : 'warn'}><strong>${t(`verdict.${told.verdict}`, { error: percentOf(told.error) })}</strong></${Notice}>
    <section class="panel"><h2>${t('diagnose_by_joint')}</h2>${errors(told.joint_error)}
      ${told.unseen.length > 0 && html`<p class="quiet">${t('diagnose_unseen', { mistakes: told.unseen.map(name).join(', ') })}</p>`}</section>
    ${told.findings.length > 0 && html`<section class="panel"><h2>${t('diagnose_findings')}</h2><${Table} caption=${t('diagnose_findings')} id=${(one) => one.mistakes.join()} items=${told.findings} columns=${[
      { key: 'mistake', head: t('diagnose_mistake'), class: 'wide', cell: (one) => html`${one.mistakes.map((mistake, k) => html`<div key=${mistake}><strong>${name(mistake)}</strong> ${language.value !== 'zh' && html`<div class="quiet">${one.lessons[k]}</div>`}</div>`)}
        ${one.order && html`<div>${t('diagnose_order', { order: one.order.join(', ') })}</div>`}` },
      { key: 'explains', head: '', cell: (one) => one.explains && html`<span class="state good">${t('diagnose_explains')}</span>` },
      { key: 'left', head: t('diagnose_left'), number: true, cell: (one) => percentOf(one.error) },
      { key: 'joints', head: t('diagnose_by_joint'), class: 'tight', cell: (one) => errors(one.joint_error) },
    ]} /></section>`}`
}

export function Diagnose({ model }) {
  const joints = model.joints.map((joint) => joint.name)
  const n = joints.length
  const [form, set] = useState({ text: '', friction: true, tolerance: '' })
  const [told, tell] = useState(null) // { value } or { error }, of what was asked
  useUnsaved(form.text !== '' && !told?.value)
  const change = (part) => {
    set({ ...form, ...part })
    tell(null)
  }
  const { rows, fault } = rowsOf(form.text, 4 * n)
  const send = (event) => {
    event.preventDefault()
    const [q, qd, qdd, tau] = [0, 1, 2, 3].map((k) => rows.map((row) => row.slice(k * n, (k + 1) * n)))
    post(`v1/robots/${encodeURIComponent(model.name)}/diagnose`, { q, qd, qdd, tau, friction: form.friction, tolerance: numberOf(form.tolerance) }).then((value) => tell({ value }), (error) => tell({ error }))
  }
  return html`<form class="panel stack" onSubmit=${send}>
    <${Field} label=${t('diagnose_rows', { columns: 4 * n })} hint=${t('diagnose_hint')}><textarea required class="code" rows="10" wrap="off" spellcheck="false" value=${form.text} ref=${(at) => at?.setCustomValidity(fault)} onInput=${(e) => change({ text: e.target.value })} /></${Field}>
    <div class="row"><${Field} label=${t('diagnose_file')}><input type="file" accept=".csv,.txt,text/*" onChange=${async (e) => e.target.files[0] && change({ text: await e.target.files[0].text() })} /></${Field}>
      <${Field} label=${t('diagnose_tolerance')}><input type="number" step="any" min="0" placeholder="1e-6" style=${{ width: '8rem' }} value=${form.tolerance} onInput=${(e) => change({ tolerance: e.target.value })} /></${Field}>
      <${Check} label=${t('diagnose_friction')} checked=${form.friction} onChange=${(e) => change({ friction: e.target.checked })} /></div>
    <${Refusal} error=${told?.error} />
    <div class="row end"><${Act} type="submit" class="main" role="operator">${t('diagnose_do')}</${Act}></div></form>
    ${told?.value && html`<${Told} told=${told.value} joints=${joints} />`}`
}
