// What a verification is asked for: the arm as it might be, the laws that control it, where it should be, and what it may be off.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { AskForm, Num, numberOf } from '../ui/asking.js'
import { Check, Field, Refusal, useAnswer } from '../ui/parts.js'
import { Joints, middlesOf } from '../ui/joints.js'
import { LawFields, NEW_LAW, controlOf } from '../ui/laws.js'
import { Entries, NEW_PLANT, Plants, References, given, lacksMotion, newReferences, plantsOf, referencesOf, useLogs, useMotions } from '../ui/verify_parts.js'
import { shortId } from '../ui/format.js'

extend({
  ver_pose: ['Where the arm holds, steps and swings', '保持、阶跃和正弦的位置'],
  ver_limit: ['What the tool may be off', '末端允许误差'],
  ver_limit_mm: ['Position [mm]', '位置 [mm]'],
  ver_limit_mrad: ['Rotation [mrad]', '转角 [mrad]'],
  ver_limit_hint: ['empty: no limit', '留空：无限制'],
  ver_laws: ['What controls it', '控制律'],
  ver_without: ['Beside it, its PID without the model', '并列：无模型的 PID'],
  ver_accuracy: ['Budget of accuracy from', '精度预算依据'],
  ver_accuracy_none: ['none', '无'],
  ver_accuracy_hint: ['what the doubt about identified parameters makes of it at the tool', '辨识参数的不确定度在末端造成的误差'],
  ver_cases: ['{count} cases: every arm under every law on every reference; 256 at most.', '共 {count} 种情况：每个手臂、每种控制律、每个参考运动；最多 256 种。'],
  ver_do: ['Verify', '开始验证'],
})

const KINDS = ['hold', 'step', 'sine', 'circle', 'trajectory', 'chirp']
const MOST = 256
const MODELLED = ['pid_gravity', 'pid_friction', 'feedforward', 'computed_torque'] // laws that have a counterpart without the model

const requestOf = ({ q, position, rotation, references, laws, plants, accuracy }, motions) => ({
  q, limit: position === '' && rotation === '' ? null : given({ position_mm: numberOf(position), rotation_mrad: numberOf(rotation) }),
  references: referencesOf(references, motions),
  laws: laws.map((one) => given({ name: one.name, bandwidth_hz: numberOf(one.bandwidth), without_model: (MODELLED.includes(one.law) && one.without) || undefined, control: controlOf(one) })),
  plants: plantsOf(plants),
  ...(accuracy && { accuracy: { identification: accuracy } }),
})

const countOf = ({ references, laws, plants }) => plants.length * references.length * laws.reduce((sum, one) => sum + 1 + (MODELLED.includes(one.law) && one.without ? 1 : 0), 0)

const NEW_CONTROL = { ...NEW_LAW, name: '', law: 'feedforward', bandwidth: '10', without: true }

export function Form({ model }) {
  const stored = useMotions(model)
  const runs = useAnswer((signal) => get('v1/identifications', { robot: model.name, sort: '-created_at', limit: 100 }, signal), [model.name])
  const logs = useLogs(model)
  const motions = stored.value ?? []
  const [draft, setDraft] = useState(() => {
    const { [t('reference.hold')]: hold, [t('reference.step')]: step } = newReferences(model)
    return { q: middlesOf(model, 0.12), position: '0.1', rotation: '', references: [hold, step], laws: [NEW_CONTROL], plants: [NEW_PLANT, { ...NEW_PLANT, payload: '1' }], accuracy: '' }
  })
  const [changed, change] = useState(false)
  const set = (part) => {
    change(true)
    setDraft({ ...draft, ...part })
  }
  const count = countOf(draft)
  return html`<${AskForm} path=${`v1/robots/${model.name}/verifications`} request=${requestOf(draft, motions)} changed=${changed} does=${t('ver_do')} disabled=${lacksMotion(draft.references, motions) || count > MOST}>
    <${Refusal} error=${stored.error ?? runs.error ?? logs.error} />
    <fieldset><legend>${t('ver_limit')}</legend><div class="row begin">
      <${Num} label=${t('ver_limit_mm')} hint=${t('ver_limit_hint')} min="0" value=${draft.position} onValue=${(position) => set({ position })} />
      <${Num} label=${t('ver_limit_mrad')} hint=${t('ver_limit_hint')} min="0" value=${draft.rotation} onValue=${(rotation) => set({ rotation })} /></div></fieldset>
    <${References} model=${model} motions=${motions} logs=${logs.value} kinds=${KINDS} entries=${draft.references} onEntries=${(references) => set({ references })} />
    <fieldset><legend>${t('ver_pose')}</legend><${Joints} model=${model} q=${draft.q} onQ=${(q) => set({ q })} /></fieldset>
    <${Entries} legend=${t('ver_laws')} entries=${draft.laws} onEntries=${(laws) => set({ laws })} makes=${{ [t('law')]: NEW_CONTROL }} titleOf=${(one) => t(`law.${one.law}`)}
      draw=${(one, part) => html`<${LawFields} model=${model} draft=${one} set=${part} />${MODELLED.includes(one.law) && html`<${Check} label=${t('ver_without')} checked=${one.without} onChange=${(e) => part({ without: e.target.checked })} />`}`} />
    <${Plants} entries=${draft.plants} onEntries=${(plants) => set({ plants })} />
    <${Field} label=${t('ver_accuracy')} hint=${t('ver_accuracy_hint')}><select value=${draft.accuracy} onChange=${(e) => set({ accuracy: e.target.value })}><option value="">${t('ver_accuracy_none')}</option>${(runs.value?.items ?? []).map((run) => html`<option key=${run.id} value=${run.id}>${run.label || run.estimator} ${shortId(run.id)}</option>`)}</select></${Field}>
    <p class=${count > MOST ? 'state bad' : 'quiet'}>${t('ver_cases', { count })}</p>
  </${AskForm}>`
}
