// The meshes that a model's visuals name: their files for the view, what is missing, and how to bring it.
import { useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { upload } from '../uploads.js'
import { Act, Bar, Notice, Refusal, useAnswer } from './parts.js'
import { Table } from './table.js'
import { count } from './format.js'

extend({
  meshes: ['Meshes', '网格模型'],
  meshes_text: ['The files that the URDF names show the arm as it looks: STL, OBJ or COLLADA (.dae), several at once, matched by their names.', '上传 URDF 引用的网格文件以显示手臂外观：STL、OBJ 或 COLLADA（.dae），可一次拖放多个，按文件名匹配。'],
  meshes_missing: ['{missing} of {all} are missing.', '共 {all} 个，缺少 {missing} 个。'],
  meshes_drop: ['Drop mesh files here, or', '将网格文件拖到此处，或'],
  meshes_choose: ['choose files', '选择文件'],
  meshes_unmatched: ['No mesh of this model is called like {files}.', '该模型没有与 {files} 同名的网格。'],
  mesh_collada: ['No triangle could be read from this COLLADA file. Convert it: assimp export link.dae link.stl', '无法从该 COLLADA 文件读取三角形，请先转换：assimp export link.dae link.stl'],
  mesh_reference: ['Named in the URDF', 'URDF 中的引用'],
  mesh_state: ['Uploaded', '已上传'],
  mesh_missing: ['missing', '缺失'],
  mesh_triangles: ['{triangles} triangles', '{triangles} 个三角形'],
  mesh_choose: ['File for {mesh}', '{mesh} 的文件'],
  mesh_delete: ['Delete {mesh}', '删除 {mesh}'],
})

const NONE = new Map()

// The files of all that were uploaded, by name.
export function useShapes(model, uploads) {
  return useAnswer(async (signal) => {
    if (!model.visuals?.some((one) => one.mesh)) return NONE
    const { items } = await get(`v1/robots/${encodeURIComponent(model.name)}/meshes`, { revision: model.revision, limit: 200 }, signal)
    return new Map(await Promise.all(items.filter((one) => one.named && one.uploaded).map(async ({ mesh, href }) => [mesh, (await call('GET', href, { accept: 'stl', signal })).data])))
  }, [model.name, model.revision, uploads]).value ?? NONE
}

// The name that an import of a URDF makes of a file's: without folders and ending, lower case.
export const nameOf = (file) => file.replace(/^.*[\\/]/, '').replace(/(?<=.)\.[^.]*$/, '').replace(/[A-Z]/g, (one) => one.toLowerCase()).replace(/[^a-z0-9._-]/g, '-').replace(/^[^a-z0-9]+/, '')

// Which mesh a file is: the one that the URDF calls so, else one that differs in its ending or folder, those that are missing first.
export function meshOf(file, items) {
  const last = (one) => (one.reference ?? one.mesh).replace(/^.*[\\/]/, '')
  const like = items.filter((one) => one.mesh === nameOf(file) || nameOf(last(one)) === nameOf(file))
  const rank = (one) => 2 * (last(one) === file) + !one.uploaded
  return like.sort((a, b) => rank(b) - rank(a))[0]
}

// What is uploaded of a file: itself, or the STL of a COLLADA, which the browser makes; null: it cannot.
async function readable(file) {
  if (!/\.dae$/i.test(file.name)) return file
  const stl = (await import('./collada.js')).stlOf(await file.text())
  return stl && new File([stl], file.name)
}

export function Meshes({ model, onUpload }) {
  const path = `v1/robots/${encodeURIComponent(model.name)}/meshes`
  const list = useAnswer((signal) => get(path, { revision: model.revision, limit: 200 }, signal), [model.name, model.revision])
  const [over, setOver] = useState(false)
  const [state, setState] = useState({})
  const input = useRef()
  const target = useRef(null)
  const items = (list.value?.items ?? []).filter((one) => one.named)
  const busy = state.progress >= 0 // one batch after the other
  const send = async (files) => {
    if (busy) return
    const left = items.map((one) => ({ ...one }))
    const lost = []
    const known = []
    for (const file of files) {
      const mesh = target.current ? left.find((one) => one.mesh === target.current) : meshOf(file.name, left)
      mesh ? known.push({ file, mesh: { ...mesh } }) : lost.push(file.name)
      if (mesh) mesh.uploaded = true
    }
    const errors = []
    for (const [k, { file, mesh }] of known.entries()) {
      try {
        const progress = (part) => setState({ progress: (k + part) / known.length })
        progress(0)
        const sent = await readable(file)
        if (!sent) errors.push({ file: file.name })
        else await upload(`${path}/${mesh.mesh}`, {}, sent, /\.obj$/i.test(file.name) ? 'model/obj' : 'model/stl', progress, { method: 'PUT', headers: mesh.etag ? { 'If-Match': mesh.etag } : { 'If-None-Match': '*' } })
      } catch (error) {
        errors.push({ file: file.name, error })
      }
    }
    setState({ lost, errors })
    list.again()
    onUpload()
  }
  const remove = async ({ mesh, etag }) => {
    try {
      await call('DELETE', `${path}/${mesh}`, { etag })
      setState({})
    } catch (error) {
      setState({ errors: [{ file: mesh, error }] })
    }
    list.again()
    onUpload()
  }
  const choose = (mesh) => {
    target.current = mesh
    input.current.click()
  }
  const missing = items.filter((one) => !one.uploaded).length
  return html`<details class="meshes" open=${missing > 0 || state.errors?.length > 0}><summary>${t('meshes')}: ${t('meshes_missing', { missing, all: items.length })}</summary><div class="stack">
    <p class="quiet">${t('meshes_text')}</p><${Refusal} error=${list.error} />
    ${(state.errors ?? []).map(({ file, error }) => html`<div key=${file}><strong><bdi>${file}</bdi></strong>${error ? html`<${Refusal} error=${error} />` : html`<div class="notice bad" role="alert">${t('mesh_collada')}</div>`}</div>`)}
    ${state.lost?.length > 0 && html`<${Notice} kind="warn"><bdi>${t('meshes_unmatched', { files: state.lost.join(', ') })}</bdi></${Notice}>`}
    <div class=${`drop ${over ? 'over' : ''}`} onDragOver=${(e) => { e.preventDefault(); setOver(true) }} onDragLeave=${() => setOver(false)} onDrop=${(e) => { e.preventDefault(); setOver(false); target.current = null; send([...e.dataTransfer.files]) }}>
      ${t('meshes_drop')} <${Act} role="engineer" disabled=${busy} onClick=${() => choose(null)}>${t('meshes_choose')}</${Act}>
      <input ref=${input} type="file" multiple aria-label=${t('meshes_choose')} style=${{ display: 'none' }} accept=".stl,.obj,.dae" onChange=${(e) => { send([...e.target.files]); e.target.value = '' }} />
      ${busy && html`<${Bar} value=${state.progress} label=${t('meshes')} />`}
    </div>
    <${Table} caption=${t('meshes')} id=${(one) => one.mesh} items=${items} columns=${[
      { key: 'mesh', head: t('meshes'), class: 'tight', cell: (one) => html`<bdi>${one.mesh}</bdi>` },
      { key: 'reference', head: t('mesh_reference'), class: 'wide', cell: (one) => html`<bdi>${one.reference ?? ''}</bdi>` },
      { key: 'state', head: t('mesh_state'), class: 'tight', cell: (one) => (one.uploaded ? t('mesh_triangles', { triangles: count(one.triangles) }) : html`<span class="state warn">${t('mesh_missing')}</span>`) },
      { key: 'do', head: '', class: 'tight', cell: (one) => html`<${Act} role="engineer" disabled=${busy} onClick=${() => choose(one.mesh)}>${t('mesh_choose', { mesh: one.mesh })}</${Act}> ${one.uploaded && html`<${Act} role="engineer" disabled=${busy} onClick=${() => remove(one)}>${t('mesh_delete', { mesh: one.mesh })}</${Act}>`}` },
    ]} /></div></details>`
}
