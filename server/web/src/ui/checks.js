// What a test of a controller says, in the language of the pages: the checks speak English, and are known by their names.
import { signal } from '@preact/signals'
import { html } from '../html.js'
import { language } from '../session.js'
import { extend, t } from '../words.js'

extend({
  'group.identity': ['identity', '身份'],
  'group.commands': ['commands', '指令'],
  'group.windows and COMMIT': ['windows and COMMIT', '窗口与 COMMIT'],
  'group.states': ['states', '状态'],
  'group.motion': ['motion', '运动'],
  'group.restarts': ['restarts', '重启'],
})

const chinese = signal(null) // { name: [name, mend] }
let fetching

function translated({ name, mend }) {
  if (language.value !== 'zh') return [name, mend]
  fetching ??= import('./checks.zh.js').then((module) => (chinese.value = module.checkWords), () => (fetching = undefined))
  return chinese.value?.(name) ?? []
}

export const groupName = (group) => t(`group.${group}`)
// One that is not known here is said as it is.
export const CheckName = ({ check }) => translated(check)[0] ?? html`<bdi>${check.name}</bdi>`
export const CheckMend = ({ check }) => translated(check)[1] ?? html`<bdi>${check.mend}</bdi>`
