// Motions that are not planned between points: the positions of a data set, positions that are typed or pasted, and references of
// verifications, which an arm then plays as they are simulated.
import { useEffect } from 'preact/hooks'
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Num, PerJoint, numberOf } from './asking.js'
import { Field, Notice, Refusal, useAnswer } from './parts.js'
import { shortId } from './format.js'
import { middlesOf, unitOf } from './joints.js'
import { forwardKinematics } from './kinematics.js'
import { poseOf } from './pose.js'
import { ReferenceFields, newReference, referencesOf } from './verify_parts.js'

extend({
  own_of: ['Made of', '来源'],
  'own_of.dataset': ['a data set', '数据集'],
  'own_of.typed': ['positions, typed or pasted', '输入或粘贴的位置'],
  own_dataset: ['Data set with the positions', '含位置的数据集'],
  own_none: ['There is no data set of this robot yet.', '该机器人还没有数据集。'],
  own_text: ['The smooth motion with the fewest pieces that is nowhere farther than the tolerance off these samples, checked against every limit.', '与这些样本处处相差不超过容差、段数最少的平滑运动，并按全部限制检查。'],
  own_reference_text: ['A reference of verifications as a motion, from rest to rest: played, it is held against what was simulated.', '将验证的参考运动作为轨迹，从静止到静止：实测后可与仿真对照。'],
  own_tolerance: ['Tolerance [rad, m]', '容差 [rad, m]'],
  own_from: ['From [s]', '自 [s]'],
  own_to: ['To [s]', '至 [s]'],
  own_hint: ['empty: all', '留空：全部'],
  own_rate: ['Samples a second [Hz]', '采样频率 [Hz]'],
  own_rows: ['Positions: a row for each sample, a number for each joint ({joints})', '位置：每个样本一行，每个关节一个数（{joints}）'],
  own_row_bad: ['Row {row} has {count} numbers, not {joints}.', '第 {row} 行有 {count} 个数，应为 {joints} 个。'],
  own_rows_few: ['Two samples at least.', '至少两个样本。'],
  own_start: ['Where it is', '所在位置'],
})

const REFERENCES = ['hold', 'step', 'sine', 'chirp', 'circle']
const TOLERANCES = { dataset: '0.0001', typed: '0.0001' } // of references the service's

// What a form begins with.
export function newOwn(model) {
  const start = middlesOf(model, 0.12)
  const [x, y, z] = poseOf(forwardKinematics(model, start).tool).translation
  const references = Object.fromEntries(REFERENCES.map((kind) => [kind, newReference(model, kind)]))
  references.circle.center = [x - 0.05, y, z].map((one) => String(Number(one.toFixed(4))))
  return { of: 'dataset', dataset: '', from: '', to: '', tolerance: TOLERANCES.dataset, rows: '', rate: '100', start: start.map((one) => String(Number(one.toFixed(4)))), references }
}

const rowsOf = (text) => text.split('\n').map((line) => line.split(/[\s,;]+/).filter(Boolean).map(Number)).filter((row) => row.length)

// What can be seen to be wrong before the service is asked; null: nothing.
export function faultOfOwn(model, own) {
  if (own.of !== 'typed') return null
  const rows = rowsOf(own.rows), bad = rows.findIndex((row) => row.length !== model.joints.length || !row.every(Number.isFinite))
  if (bad >= 0) return t('own_row_bad', { row: bad + 1, count: rows[bad].filter(Number.isFinite).length, joints: model.joints.length })
  return rows.length < 2 ? t('own_rows_few') : null
}

// The `samples` of a request.
export function samplesOf(own) {
  const tolerance = numberOf(own.tolerance)
  if (own.of === 'dataset') return { dataset: own.dataset, tolerance, from: numberOf(own.from), to: numberOf(own.to) }
  if (own.of === 'typed') return { q: rowsOf(own.rows), rate: numberOf(own.rate), tolerance }
  return { reference: referencesOf([own.references[own.of]], [])[0], start: own.start.map((one) => numberOf(one) ?? 0), tolerance }
}

function OfDataset({ model, own, set, field }) {
  const sets = useAnswer((signal) => get('v1/datasets', { robot: model.name, sort: '-created_at', limit: 100 }, signal), [model.name])
  const items = sets.value?.items ?? []
  useEffect(() => {
    if (!own.dataset && items.length) set({ dataset: items[0].id })
  }, [items.length, own.dataset])
  if (sets.value && !items.length) return html`<${Notice} kind="warn">${t('own_none')} <a href=${link(['datasets'])}>${t('page.datasets')}</a></${Notice}>`
  return html`<${Refusal} error=${sets.error} /><${Field} label=${t('own_dataset')}><select value=${own.dataset} onChange=${(e) => set({ dataset: e.target.value })}>${items.map((one) => html`<option key=${one.id} value=${one.id}>${one.label || shortId(one.id)}</option>`)}</select></${Field}>
    ${field('tolerance', { required: true })}${field('from', { hint: t('own_hint') })}${field('to', { hint: t('own_hint') })}`
}

const OfRows = ({ model, own, set, field }) => html`${field('rate', { required: true, min: '0' })}${field('tolerance', { required: true })}
  <${Field} label=${t('own_rows', { joints: model.joints.map((joint) => `${joint.name} [${unitOf(joint)}]`).join(', ') })}><textarea required rows="8" cols="60" spellcheck=${false} value=${own.rows} onInput=${(e) => set({ rows: e.target.value })} /></${Field}>`

const OfReference = ({ model, own, set }) => html`<${ReferenceFields} model=${model} one=${own.references[own.of]} set=${(part) => set({ references: { ...own.references, [own.of]: { ...own.references[own.of], ...part } } })} />
  <${PerJoint} model=${model} legend=${t('own_start')} values=${own.start} onValues=${(start) => set({ start })} unit=${(joint) => unitOf(joint)} />`

export function OwnMotion({ model, own, onOwn }) {
  const set = (part) => onOwn({ ...own, ...part })
  const field = (name, rest) => html`<${Num} key=${name} label=${t(`own_${name}`)} value=${own[name]} onValue=${(value) => set({ [name]: value })} ...${rest} />`
  const Fields = { dataset: OfDataset, typed: OfRows }[own.of] ?? OfReference
  return html`<section class="panel"><p class="quiet">${t(Fields === OfReference ? 'own_reference_text' : 'own_text')}</p><div class="row begin">
    <${Field} label=${t('own_of')}><select value=${own.of} onChange=${(e) => set({ of: e.target.value, tolerance: TOLERANCES[e.target.value] ?? '' })}>${['dataset', 'typed'].map((one) => html`<option key=${one} value=${one}>${t(`own_of.${one}`)}</option>`)}${REFERENCES.map((one) => html`<option key=${one} value=${one}>${t(`reference.${one}`)}</option>`)}</select></${Field}>
    <${Fields} model=${model} own=${own} set=${set} field=${field} /></div></section>`
}
