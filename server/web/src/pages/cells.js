// What stands around arms: bodies by numbers, seen with an arm among them, and how near the arm comes to them.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { go, link, useUnsaved } from '../route.js'
import { session } from '../session.js'
import { extend, t } from '../words.js'
import { call, get, once, post, save, table } from '../api.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Check, Field, Head, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { kindOf } from '../ui/kind.js'
import { Joints, rangeOf } from '../ui/joints.js'
import { DEGREES, Pose } from '../ui/pose.js'
import { View3D } from '../ui/view.js'
import { count, figure, moment } from '../ui/format.js'

extend({
  cells_text: ['What stands around arms. Planned motions and checks of clearance name a cell.', '手臂周围的物体。运动规划与间距检查引用工作单元。'],
  cell_new: ['New cell …', '新建工作单元……'],
  cell_name: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'],
  cell_description: ['What it is', '说明'],
  cell_bodies: ['Bodies', '物体'],
  cell_base: ['Where the arm stands in the cell', '手臂基座在单元中的位姿'],
  cell_save: ['Save the cell', '保存工作单元'],
  cell_body_name: ['Name', '名称'],
  cell_body_add: ['Add a body', '添加物体'],
  cell_body_away: ['Take {name} away', '移除 {name}'],
  cell_body_hold: ['Drag {name} in the picture', '在图中拖动 {name}'],
  cell_hold: ['Drag', '拖动'],
  cell_solids: ['Bodies of the arm', '手臂的碰撞体'],
  cell_import: ['Import …', '导入……'],
  cell_import_text: ['A world of SDF, a URDF, a mesh (STL, OBJ) or a cell in JSON. Each piece of a mesh becomes a convex body; what is hollow is filled up, and says so.', 'SDF 世界、URDF、网格（STL、OBJ）或 JSON 工作单元。网格的每个部分成为一个凸体；空腔会被填满并注明。'],
  cell_file: ['File', '文件'],
  cell_unit: ['Unit of the mesh', '网格单位'],
  cell_motion: ['A stored motion', '已存储的运动'],
  cell_motion_none: ['none', '无'],
  cell_tight: ['At {time} s it is {clearance} m from what stands around it, and nowhere nearer:', '{time} s 时与周围物体的间距为 {clearance} m，为全程最小：'],
  cell_show: ['Arm in the cell', '单元中的手臂'],
  cell_points: ['{count} points', '{count} 个点'],
  'shape.sphere': ['sphere', '球体'],
  'shape.box': ['box', '长方体'],
  'shape.cylinder': ['cylinder', '圆柱体'],
  'shape.capsule': ['capsule', '胶囊体'],
  'shape.half_space': ['half-space', '半空间'],
  'shape.convex': ['hull of points', '点集凸包'],
  'part.center': ['Middle', '中心'],
  'part.radius': ['Radius', '半径'],
  'part.size': ['Edges', '边长'],
  'part.translation': ['Middle', '中心'],
  'part.rpy': ['Roll, pitch, yaw', '横滚、俯仰、偏航'],
  'part.length': ['Length', '长度'],
  'part.from': ['From', '起点'],
  'part.to': ['To', '终点'],
  'part.normal': ['Normal', '法向'],
  'part.offset': ['Offset', '偏移'],
  clearance: ['Clearance', '间距'],
  clearance_between: ['between {one} and {other}', '{one} 与 {other} 之间'],
  clearance_touch: ['{one} and {other} overlap', '{one} 与 {other} 重叠'],
  clearance_none: ['This robot\'s links have no bodies, so there is nothing to compare. Give them in its model.', '该机器人的连杆没有碰撞体，无法比较。请在其模型中给出。'],
  clearance_viewer: ['To compute how near it is needs the role operator.', '计算间距需要“操作员”角色。'],
})

const path = (name) => `v1/cells/${encodeURIComponent(name)}`

// The numbers of each kind of body: name, how many, unit, and what a new one has. Angles are typed in degrees and kept in rad.
const PARTS = {
  box: [['size', 3, 'm', [0.5, 0.5, 0.5]], ['translation', 3, 'm', [0.8, 0, 0]], ['rpy', 3, '°', [0, 0, 0]]],
  cylinder: [['radius', 1, 'm', 0.05], ['length', 1, 'm', 1], ['translation', 3, 'm', [0.8, 0, 0.5]], ['rpy', 3, '°', [0, 0, 0]]],
  sphere: [['radius', 1, 'm', 0.1], ['center', 3, 'm', [0.8, 0, 0]]],
  capsule: [['radius', 1, 'm', 0.05], ['from', 3, 'm', [0.8, 0, 0]], ['to', 3, 'm', [0.8, 0, 1]]],
  half_space: [['normal', 3, '', [0, 0, 1]], ['offset', 1, 'm', 0]],
}
const bodyOf = (kind, name) => ({ name, [kind]: Object.fromEntries(PARTS[kind].map(([part, , , start]) => [part, start])) })

function Numbers({ values, many, unit, label, onValues }) {
  const list = many === 1 ? [values ?? 0] : values ?? [0, 0, 0]
  const scale = unit === '°' ? DEGREES : 1
  return html`<div class="row">${list.map((value, k) => html`<input key=${k} type="number" step="any" required style=${{ width: '5.6rem' }} aria-label=${many === 1 ? label : `${label} ${'xyz'[k]}`} value=${Number((value * scale).toFixed(9))} onInput=${(e) => { const next = list.map((old, j) => (j === k ? e.target.valueAsNumber / scale : old)); onValues(many === 1 ? next[0] : next) }} />`)}</div>`
}

function Body({ body, held, onHold, onBody, onAway }) {
  const kind = kindOf(body)
  const set = (part) => onBody({ ...body, [kind]: { ...body[kind], ...part } })
  return html`<fieldset><legend><bdi>${body.name}</bdi> · ${t(`shape.${kind}`)}</legend><div class="row">
    <${Field} label=${t('cell_body_name')}><input required pattern="[a-z0-9][a-z0-9._\\-]*" maxlength="64" style=${{ width: '9rem' }} value=${body.name} onInput=${(e) => onBody({ ...body, name: e.target.value })} /></${Field}>
    ${PARTS[kind]?.map(([part, many, unit]) => html`<div key=${part} class="field"><span>${t(`part.${part}`)}${unit && ` [${unit}]`}</span><${Numbers} label=${`${body.name} ${t(`part.${part}`)}`} many=${many} unit=${unit} values=${body[kind][part]} onValues=${(value) => set({ [part]: value })} /></div>`) ?? html`<p class="quiet">${t('cell_points', { count: body.convex.points.length })}</p>`}
    <button type="button" aria-pressed=${held} aria-label=${t('cell_body_hold', { name: body.name })} title=${t('cell_body_hold', { name: body.name })} onClick=${onHold}>${t('cell_hold')}</button>
    <button type="button" aria-label=${t('cell_body_away', { name: body.name })} title=${t('cell_body_away', { name: body.name })} onClick=${onAway}>×</button></div></fieldset>`
}

// The bodies as a form; what is typed is seen at once.
function Edit({ cell, draft, setDraft, held, hold, etag, onSaved }) {
  const [error, setError] = useState(null)
  const [busy, setBusy] = useState(false)
  const changed = draft !== cell
  useUnsaved(changed && !busy)
  const set = (part) => setDraft({ ...draft, ...part })
  const free = (kind) => Array.from({ length: draft.bodies.length + 1 }, (_, k) => `${kind.replace('_', '-')}-${k + 1}`).find((name) => !draft.bodies.some((body) => body.name === name))
  const send = async (event) => {
    event.preventDefault()
    setError(null)
    setBusy(true)
    try {
      await call('PUT', path(cell.name), { json: draft, etag })
      onSaved()
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return html`<form class="panel stack" onSubmit=${send}><h2>${t('cell_bodies')}</h2>
    <${Field} label=${t('cell_description')}><input maxlength="128" value=${draft.description ?? ''} onInput=${(e) => set({ description: e.target.value })} /></${Field}>
    ${draft.bodies.map((body, k) => html`<${Body} key=${k} body=${body} held=${k === held} onHold=${() => hold(k === held ? null : k)} onBody=${(next) => set({ bodies: draft.bodies.map((old, j) => (j === k ? next : old)) })} onAway=${() => { hold(null); set({ bodies: draft.bodies.filter((_, j) => j !== k) }) }} />`)}
    <div class="row" role="group" aria-label=${t('cell_body_add')}><span class="quiet">${t('cell_body_add')}</span>${Object.keys(PARTS).map((kind) => html`<button key=${kind} type="button" onClick=${() => { set({ bodies: [...draft.bodies, bodyOf(kind, free(kind))] }); hold(draft.bodies.length) }}>+ ${t(`shape.${kind}`)}</button>`)}</div>
    <fieldset><legend>${t('cell_base')}</legend><${Pose} pose=${{ translation: draft.base?.translation ?? [0, 0, 0], rpy: draft.base?.rpy ?? [0, 0, 0] }} onPose=${(base) => set({ base })} /></fieldset>
    <${Refusal} error=${error} />
    <div class="row end"><${Act} type="submit" class="main" role="engineer" disabled=${!changed} busy=${busy}>${t('cell_save')}</${Act}></div></form>`
}

const Near = ({ answer: { clearance, between } }) => (clearance == null ? html`<p class="quiet">–</p>`
  : html`<p role="status"><b>${figure(clearance, 3)} m</b> <span class=${`state ${clearance < 0 ? 'bad' : 'good'}`}>${t(clearance < 0 ? 'clearance_touch' : 'clearance_between', { one: between[0], other: between[1] })}</span></p>`)

const hasBodies = (model) => [model.base, model.tool, model.payload, ...model.joints.map((joint) => joint.link)].some((part) => part?.bodies?.length)

// An arm in the cell: where it comes near to what. The stored cell is asked; what is only typed yet is drawn.
function Clearance({ cell, draft, setDraft, held, hold }) {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const [chosen, choose] = useState(null)
  const name = chosen ?? robots.value?.items[0]?.name
  const answer = useAnswer(async (signal) => (name ? get(`v1/robots/${encodeURIComponent(name)}`, {}, signal) : null), [name])
  const model = answer.value?.name === name ? answer.value : null
  return html`<section class="panel"><div class="head"><h2>${t('cell_show')}</h2><${Field} label=${t('robot')}><select value=${name} onChange=${(e) => choose(e.target.value)}>${(robots.value?.items ?? []).map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}</select></${Field}></div>
    <${Refusal} error=${robots.error ?? answer.error} />
    ${model && html`<${Standing} key=${name} model=${model} cell=${cell} draft=${draft} setDraft=${setDraft} held=${held} hold=${hold} />`}</section>`
}

// A motion of this arm in the stored cell: when it is nearest to what. shown(motion, q): its poses, and that at the tight moment.
function Tight({ model, cell, shown }) {
  const motions = useAnswer((signal) => get('v1/trajectories', { robot: model.name, limit: 50 }, signal), [model.name])
  const [chosen, choose] = useState('')
  const answer = useAnswer(async (signal) => {
    if (!chosen) return null
    const [near, samples] = await Promise.all([post(`v1/robots/${encodeURIComponent(model.name)}/clearance`, { trajectory: chosen, cell: cell.name }, { signal }), table(`v1/trajectories/${chosen}/samples`, { fields: 't,q' }, signal)])
    const columns = model.joints.map((_, j) => samples.column(`q${j + 1}`))
    const times = samples.column('t')
    const pose = (k) => columns.map((column) => column[k])
    const at = near.time == null ? 0 : times.reduce((best, time, k) => (Math.abs(time - near.time) < Math.abs(times[best] - near.time) ? k : best), 0)
    return { near, motion: Array.from(times, (_, k) => pose(k)), q: pose(at) }
  }, [chosen, cell.revision])
  const value = chosen ? answer.value : null
  useEffect(() => shown(value?.motion, value?.q), [value])
  return html`<${Field} label=${t('cell_motion')}><select value=${chosen} onChange=${(e) => choose(e.target.value)}><option value="">${t('cell_motion_none')}</option>${(motions.value?.items ?? []).map((one) => html`<option key=${one.id} value=${one.id}>${one.label || `${one.method} ${one.id.slice(-6)}`}</option>`)}</select></${Field}>
    <${Refusal} error=${answer.error} />
    ${value?.near.clearance != null && html`<p class="tight">${t('cell_tight', { time: figure(value.near.time, 3), clearance: figure(value.near.clearance, 3) })}</p><${Near} answer=${value.near} />`}`
}

function Standing({ model, cell, draft, setDraft, held, hold }) {
  const [q, setQ] = useState(() => model.joints.map((joint) => rangeOf(joint).reduce((a, b) => a + b) / 2))
  const [asked, ask] = useState(q)
  useEffect(() => {
    const timer = setTimeout(() => ask(q), 80)
    return () => clearTimeout(timer)
  }, [q])
  const [solids, setSolids] = useState(true)
  const [motion, setMotion] = useState(null)
  const begin = useRef({}) // of a drag: where its handle was, and the body
  const bare = !hasBodies(model)
  const handled = useMemo(() => held != null && draft.bodies[held] && { number: held,
    told: (moved, from) => {
      if (begin.current.from !== from) begin.current = { from, body: draft.bodies[held] }
      setDraft((old) => ({ ...old, bodies: old.bodies.map((body, k) => (k === held ? { ...moved(old, begin.current.body), name: body.name } : body)) }))
    } }, [held, draft])
  const computes = session.may('operator') && !bare
  const near = useAnswer(async (signal) => (computes ? post(`v1/robots/${encodeURIComponent(model.name)}/clearance`, { q: asked, cell: cell.name }, { signal }) : null), [asked.join(), cell.revision])
  return html`<div class="grid"><${View3D} model=${model} q=${q} motion=${motion} cell=${draft} solids=${solids} held=${handled || undefined} pick=${session.may('engineer') ? hold : undefined} gap=${draft === cell ? near.value?.points : undefined} bodies=${false} frames=${false} label=${`${model.name}, ${cell.name}`} />
    <div class="stack"><${Joints} model=${model} q=${q} onQ=${setQ} /><h3>${t('clearance')}</h3><${Refusal} error=${near.error} />
      ${bare ? html`<${Notice} kind="warn">${t('clearance_none')}</${Notice}>` : !computes ? html`<p class="quiet">${t('clearance_viewer')}</p>` : near.value ? html`<${Near} answer=${near.value} />` : html`<${Loading} error=${near.error} />`}
      ${!bare && html`<${Check} label=${t('cell_solids')} checked=${solids} onChange=${(e) => setSolids(e.target.checked)} />`}
      ${computes && html`<${Tight} model=${model} cell=${cell} shown=${(poses, at) => { setMotion(poses ?? null); if (at) setQ(at) }} />`}</div></div>`
}

function One({ name }) {
  const answer = useAnswer((signal) => call('GET', path(name), { signal }), [name])
  const cell = answer.value?.data
  const [draft, setDraft] = useState(null)
  const [asking, setAsking] = useState(false)
  const [held, hold] = useState(null)
  useEffect(() => setDraft(cell), [cell])
  if (!cell || !draft) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const remove = async () => {
    await call('DELETE', path(name), { etag: answer.value.etag })
    go(['cells'])
  }
  const exported = async (accept) => {
    const ending = accept === 'model/stl' ? 'stl' : 'sdf'
    if (accept) return save(`${name}.${ending}`, (await call('GET', path(name), { headers: { Accept: accept }, accept: ending === 'stl' ? 'stl' : 'text' })).data, accept)
    return save(`${name}.json`, JSON.stringify(cell, null, 1), 'application/json')
  }
  return html`<${Head} title=${`${cell.name} r${cell.revision}`} sub=${html`${cell.description && html`<bdi>${cell.description}</bdi> · `}${moment(cell.created_at)}`}><button type="button" onClick=${() => exported()}>JSON</button><button type="button" onClick=${() => exported('application/xml')}>SDF</button><button type="button" onClick=${() => exported('model/stl')}>STL</button><${Act} role="engineer" onClick=${() => setAsking(true)}>${t('delete')}</${Act}></${Head}>
    <${Refusal} error=${answer.error} />
    <${Clearance} cell=${cell} draft=${draft} setDraft=${setDraft} held=${held} hold=${hold} />
    <${Edit} cell=${cell} draft=${draft} setDraft=${setDraft} held=${held} hold=${hold} etag=${answer.value.etag} onSaved=${answer.again} />
    ${asking && html`<${FormDialog} title=${t('delete')} does=${t('delete')} kind="danger" role="engineer" send=${remove} onClose=${() => setAsking(false)}><p><bdi>${cell.name}</bdi></p></${FormDialog}>`}`
}

function New({ onClose }) {
  const [form, set] = useState({ name: '', description: '' })
  const make = async () => {
    await post('v1/cells', { name: form.name, ...(form.description && { description: form.description }), bodies: [bodyOf('half_space', 'floor')] })
    go(['cells', form.name])
  }
  return html`<${FormDialog} title=${t('cell_new')} does=${t('save')} role="engineer" send=${make} onClose=${onClose}>
    <${Field} label=${t('cell_name')}><input required pattern="[a-z0-9][a-z0-9._\\-]*" maxlength="64" value=${form.name} onInput=${(e) => set({ ...form, name: e.target.value })} /></${Field}>
    <${Field} label=${t('cell_description')}><input maxlength="128" value=${form.description} onInput=${(e) => set({ ...form, description: e.target.value })} /></${Field}></${FormDialog}>`
}

// Which type a file is of, by its name.
const TYPES = { sdf: 'application/xml', world: 'application/xml', urdf: 'application/xml', xml: 'application/xml', stl: 'model/stl', obj: 'model/obj', json: 'application/json' }
const typeOf = (file) => TYPES[file?.name.split('.').at(-1).toLowerCase()]

function Import({ onClose }) {
  const [form, set] = useState({ name: '', file: null, scale: 1 })
  const type = typeOf(form.file)
  const mesh = type?.startsWith('model/')
  const make = async () => {
    const json = type === 'application/json'
    const body = json ? JSON.stringify({ ...JSON.parse(await form.file.text()), name: form.name }) : await form.file.arrayBuffer()
    const { data } = await call('POST', 'v1/cells', { body, type, query: json ? {} : { name: form.name, scale: mesh ? form.scale : null }, headers: once() })
    go(['cells', data.name])
  }
  const chose = (file) => file && set({ ...form, file, name: form.name || file.name.replace(/\.[^.]*$/, '').toLowerCase().replace(/[^a-z0-9-]+/g, '-').replace(/^-+/, '').slice(0, 64) })
  return html`<${FormDialog} title=${t('cell_import')} does=${t('save')} role="engineer" disabled=${!type} send=${make} onClose=${onClose}>
    <p class="quiet">${t('cell_import_text')}</p>
    <${Field} label=${t('cell_file')}><input type="file" accept=${Object.keys(TYPES).map((one) => `.${one}`).join()} onChange=${(e) => chose(e.target.files[0])} /></${Field}>
    <${Field} label=${t('cell_name')}><input required pattern="[a-z0-9][a-z0-9._\\-]*" maxlength="64" value=${form.name} onInput=${(e) => set({ ...form, name: e.target.value })} /></${Field}>
    ${mesh && html`<${Field} label=${t('cell_unit')}><select value=${form.scale} onChange=${(e) => set({ ...form, scale: Number(e.target.value) })}><option value="1">m</option><option value="0.001">mm</option><option value="0.0254">in</option></select></${Field}>`}</${FormDialog}>`
}

function All() {
  const list = useList('v1/cells', { limit: 100 })
  const [making, setMaking] = useState(false)
  const [importing, setImporting] = useState(false)
  return html`<${Head} title=${t('page.cells')} sub=${t('cells_text')}><${Act} role="engineer" onClick=${() => setImporting(true)}>${t('cell_import')}</${Act}><${Act} class="main" role="engineer" onClick=${() => setMaking(true)}>${t('cell_new')}</${Act}></${Head}>
    <${Refusal} error=${list.error} />
    <div class="panel"><${Table} tall caption=${t('page.cells')} id=${(cell) => cell.name} items=${list.items} list=${list} columns=${[
      { key: 'name', head: t('page.cells'), class: 'tight', cell: (cell) => html`<a href=${link(['cells', cell.name])}>${cell.name}</a> <span class="quiet">r${cell.revision}</span>` },
      { key: 'bodies', head: t('cell_bodies'), number: true, cell: (cell) => count(cell.body_count) },
      { key: 'description', head: t('cell_description'), class: 'wide', cell: (cell) => html`<bdi>${cell.description ?? ''}</bdi>` },
      { key: 'created', head: t('created'), class: 'tight', cell: (cell) => moment(cell.created_at) },
    ]} /></div>
    ${making && html`<${New} onClose=${() => setMaking(false)} />`}
    ${importing && html`<${Import} onClose=${() => setImporting(false)} />`}`
}

export const Page = ({ path: [, name] }) => (name ? html`<${One} key=${name} name=${name} />` : html`<${All} />`)
