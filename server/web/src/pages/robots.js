// Models: a list, one of them in three dimensions with the torques that hold it, its revisions, and an editor.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, go, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, post, once } from '../api.js'
import { session } from '../session.js'
import { FormDialog, useMaking } from '../ui/dialog.js'
import { Act, Check, Field, Head, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { figure, moment } from '../ui/format.js'
import { Meshes } from '../ui/meshes.js'
import { forwardKinematics } from '../ui/kinematics.js'
import { Joints, rangeOf, torqueText } from '../ui/joints.js'
import { View3D } from '../ui/view.js'
import { Editor } from '../ui/model.js'
import { GravityMap } from './gravity_map.js'
import { said } from '../ui/sentences.js'

extend({
  robots_text: ['Models of arms. Each change makes a new revision; whatever was computed names the one it used.', '手臂模型。每次修改产生新版本；所有计算结果都注明所用版本。'],
  joints: ['Joints', '关节数'],
  description: ['Description', '描述'],
  robot_new: ['New robot …', '新建机器人……'],
  robot_new_text: ['A model as JSON, or a URDF.', 'JSON 模型或 URDF 文件。'],
  robot_file: ['File', '文件'],
  unphysical: ['not a possible body', '物理上不可能'],
  view: ['Pose and torque at rest', '姿态与静力矩'],
  view_text: ['Torques hold the arm still against gravity, computed by the service while you move it.', '移动时由服务实时计算的重力平衡力矩。'],
  view_text_viewer: ['The torques that hold it are computed for operators.', '保持力矩的计算需要操作员角色。'],
  visuals: ['As it looks', '外形'],
  solids: ['Bodies for clearances', '间距计算用的碰撞体'],
  ellipsoids: ['Inertia ellipsoids', '惯量椭球'],
  view_label: ['{name} in three dimensions, tool at {place} m', '{name} 三维视图，末端位于 {place} m'],
  edit: ['Model', '模型'],
  not_newest: ['This is revision {revision}; the newest is {newest}.', '当前显示版本 {revision}；最新版本为 {newest}。'],
  lint: ['What looks suspicious', '可疑之处'],
  lint_none: ['Nothing looks suspicious.', '未发现可疑之处。'],
  plan: ['Plan a motion', '规划运动'],
})

function New({ onClose }) {
  const [text, setText] = useState('')
  const [allow, setAllow] = useState(false)
  const create = async () => {
    const xml = text.trimStart().startsWith('<')
    const { data } = await call('POST', 'v1/robots', { body: text, type: xml ? 'application/xml' : 'application/json', query: { allow_unphysical: allow || null }, headers: once() })
    go(['robots', data.name])
  }
  return html`<${FormDialog} title=${t('robot_new')} does=${t('save')} role="engineer" disabled=${!text.trim()} send=${create} onClose=${onClose}>
    <p class="quiet">${t('robot_new_text')}</p>
    <${Field} label=${t('robot_file')}><input type="file" accept=".json,.urdf,.xml" onChange=${async (e) => e.target.files[0] && setText(await e.target.files[0].text())} /></${Field}>
    <${Field} label=${t('edit')}><textarea class="code" rows="14" spellcheck="false" required value=${text} onInput=${(e) => setText(e.target.value)}></textarea></${Field}>
    <${Check} label=${t('allow_unphysical')} checked=${allow} onChange=${(e) => setAllow(e.target.checked)} />
  </${FormDialog}>`
}

function All() {
  const list = useList('v1/robots', { limit: 100 })
  const [making, setMaking] = useMaking()
  return html`
    <${Head} title=${t('page.robots')} sub=${t('robots_text')}><${Act} class="main" role="engineer" onClick=${() => setMaking(true)}>${t('robot_new')}</${Act}></${Head}>
    <${Refusal} error=${list.error} />
    <div class="panel"><${Table} caption=${t('page.robots')} id=${(robot) => robot.name} items=${list.items} list=${list} columns=${[
      { key: 'name', head: t('robot'), class: 'tight', cell: (robot) => html`<a href=${link(['robots', robot.name])}>${robot.name}</a>` },
      { key: 'revision', head: t('revision'), number: true, cell: (robot) => robot.revision },
      { key: 'joints', head: t('joints'), number: true, cell: (robot) => robot.joints },
      { key: 'unphysical', head: '', cell: (robot) => robot.unphysical && html`<span class="state warn">${t('unphysical')}</span>` },
      { key: 'description', head: t('description'), class: 'wide', cell: (robot) => html`<bdi>${robot.description ?? ''}</bdi>` },
      { key: 'created', head: t('created'), class: 'tight', cell: (robot) => moment(robot.created_at) },
    ]} /></div>
    ${making && html`<${New} onClose=${() => setMaking(false)} />`}`
}

// Where the arm is and what holds it there, asked again when the person pauses for a moment.
function Live({ model }) {
  const [q, setQ] = useState(() => model.joints.map((joint) => rangeOf(joint).reduce((a, b) => a + b) / 2))
  const [asked, ask] = useState(q)
  const dressed = model.visuals?.some((one) => !one.collision)
  const meshed = model.visuals?.some((one) => one.mesh)
  const [bodies, setBodies] = useState(!dressed)
  const [meshes, setMeshes] = useState(true)
  const [solids, setSolids] = useState(false)
  const solid = [model.base, model.tool, model.payload, ...model.joints.map(({ link }) => link)].some((part) => part?.bodies?.length)
  const [uploads, setUploads] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => ask(q), 40)
    return () => clearTimeout(timer)
  }, [q])
  const computes = session.may('operator')
  const answer = useAnswer(async (signal) => computes && (await post(`v1/robots/${model.name}/gravity`, { q: asked }, { query: { revision: model.revision }, signal })).gravity_torque, [asked.join()])
  const place = useMemo(() => forwardKinematics(model, q).tool.slice(0, 3).map((row) => row[3].toFixed(4).replace(/^-(0\.0+)$/, '$1')).join(', '), [model, q])
  return html`<section class="panel"><h2>${t('view')}</h2><p class="quiet">${t(computes ? 'view_text' : 'view_text_viewer')}</p><${Refusal} error=${answer.error} />
    <div class="grid"><${View3D} model=${model} q=${q} bodies=${bodies} meshes=${meshes} solids=${solids} uploads=${uploads} label=${t('view_label', { name: model.name, place })} />
      <div class="stack"><${Joints} model=${model} q=${q} onQ=${setQ} beside=${!computes ? undefined : (joint, j) => (answer.value ? torqueText(joint, answer.value[j]) : '…')} />
        <p class="quiet">x, y, z: ${place} m</p>${dressed && html`<${Check} label=${t(meshed ? 'meshes' : 'visuals')} checked=${meshes} onChange=${(e) => setMeshes(e.target.checked)} />`}${solid && html`<${Check} label=${t('solids')} checked=${solids} onChange=${(e) => setSolids(e.target.checked)} />`}<${Check} label=${t('ellipsoids')} checked=${bodies} onChange=${(e) => setBodies(e.target.checked)} /></div></div>
    ${meshed && html`<${Meshes} model=${model} onUpload=${() => setUploads(uploads + 1)} />`}
  </section>`
}

function One({ name }) {
  const revision = route.value.query.get('revision')
  const newest = useAnswer((signal) => call('GET', `v1/robots/${encodeURIComponent(name)}`, { signal }), [name])
  const answer = useAnswer(async (signal) => (revision ? get(`v1/robots/${encodeURIComponent(name)}/revisions/${revision}`, {}, signal) : newest.value?.data), [name, revision, newest.value])
  const model = answer.value
  if (!model || !newest.value) return html`<${Head} title=${name} /><${Refusal} error=${answer.error ?? newest.error} /><${Loading} error=${answer.error ?? newest.error} />`
  const last = newest.value.data.revision
  return html`
    <${Head} title=${`${model.name} r${model.revision}`} sub=${html`<bdi>${model.description ?? ''}</bdi>`}>
      <a class="button" href=${link(['code', name], revision ? { revision } : {})}>${t('page.code')}</a>
      <a class="button" href=${link(['trajectories', 'new'], { robot: name })}>${t('plan')}</a>
    </${Head}>
    ${model.revision !== last && html`<${Notice} kind="warn">${t('not_newest', { revision: model.revision, newest: last })} <a href=${link(['robots', name])}>r${last}</a></${Notice}>`}
    <${Live} key=${`${name} ${model.revision}`} model=${model} />
    <section class="panel"><h2>${t('lint')}</h2>${model.warnings.length ? html`<ul>${model.warnings.map((one, k) => html`<li key=${k}><code>${one.pointer}</code> ${said(one.detail, one.code)}</li>`)}</ul>` : html`<p class="quiet">${t('lint_none')}</p>`}</section>
    ${model.joints.length > 1 && session.may('operator') && html`<${GravityMap} model=${model} />`}
    <${Editor} key=${`edit ${model.revision}`} model=${model} etag=${newest.value.etag} onSaved=${() => { go(['robots', name]); newest.again() }} />`
}

export const Page = ({ path }) => (path[1] ? html`<${One} key=${path[1]} name=${path[1]} />` : html`<${All} />`)
