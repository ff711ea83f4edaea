// A controller with registers of its own, in the assistant: the map that says how it is spoken to, and, as no test knows its registers,
// what a transfer would write.
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { Field } from '../ui/parts.js'
import { DryRun } from './dry_run.js'
import { RegisterMap } from './register_map.js'

extend({
  connect_speaks: ['It speaks', '通信方式'],
  connect_own: ['registers of its own', '自有寄存器'],
  connect_protocol: ["this service's register protocol", '本服务的寄存器协议'],
  connect_map: ['Its register map (JSON)', '寄存器映射（JSON）'],
  connect_map_file: ['From a file', '从文件读取'],
  connect_map_hint: ['The manual has examples: register-maps.md.', '示例见手册 register-maps.md。'],
  connect_map_json: ['This is no JSON: {why}', '不是有效的 JSON：{why}'],
  connect_map_look: ['3. What would be written', '3. 将写入的内容'],
  connect_map_text: ['No test knows these registers: look at what a motion would write, and hold it against the manual of the controller, before it is in service.', '没有测试认识这些寄存器：投入使用前，请查看运动将写入的内容，并与控制器手册核对。'],
})

// Why a text is no map; '' where it may be one.
function faultOf(text) {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return t('connect_map_json', { why: error.message })
  }
}

export const profileOf = ({ own, map, base, allow_start }) => (own ? { protocol: 'register-map', map: JSON.parse(map), allow_start } : { protocol: 'armdyn-v2', base: Number(base), allow_start })

export const Speaks = ({ own, onOwn }) => html`<${Field} label=${t('connect_speaks')}><select value=${own ? 'own' : ''} onChange=${(e) => onOwn(!!e.target.value)}><option value="">${t('connect_protocol')}</option><option value="own">${t('connect_own')}</option></select></${Field}>`

// A fault of the text stands at the field, as the browser tells those of every other one.
export const MapText = ({ map, onMap }) => html`<${Field} label=${t('connect_map')} hint=${t('connect_map_hint')}><textarea required class="code" rows="10" spellcheck="false" value=${map} ref=${(at) => at?.setCustomValidity(at.value ? faultOf(at.value) : '')} onInput=${(e) => onMap(e.target.value)} /></${Field}>
  <${Field} label=${t('connect_map_file')}><input type="file" accept=".json,application/json" onChange=${async (e) => e.target.files[0] && onMap(await e.target.files[0].text())} /></${Field}>`

export const MapLook = ({ controller, model, children }) => html`<section class="panel stack"><h2>${t('connect_map_look')}</h2><p>${t('connect_map_text')}</p></section>
  <${RegisterMap} map=${controller.profile.map} /><${DryRun} controller=${controller} model=${model} />${children}`
