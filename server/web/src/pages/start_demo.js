// The demo in one click, and what these pages are made of: beneath what a person comes to Home for.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { Act, Bar, Refusal } from '../ui/parts.js'
import licences from 'virtual:licences'

extend({
  start_empty: ['Nothing is stored yet.', '目前还没有任何数据。'],
  start_demo: ['Load demo robots and logs', '加载示例机器人和日志'],
  start_demo_text: ['Stores a Puma 560, a SCARA and a UR10, and two logs of the SCARA, whose torques are those of a heavier, stickier arm, with noise: identification has something to find.',
    '保存 Puma 560、SCARA 和 UR10 三个机器人，以及 SCARA 的两份日志：力矩取自更重、摩擦更大的手臂并加入噪声，供辨识使用。'],
  start_step: ['{done} of {total}: {what}', '第 {done} 步，共 {total} 步：{what}'],
  licences: ['Licences of the software that these pages carry', '页面所含软件的许可证'],
})

export function Demo({ empty, onDone }) {
  const [step, setStep] = useState(null)
  const [error, setError] = useState(null)
  const load = async () => {
    setError(null)
    try {
      const { loadDemo } = await import('../demo.js')
      await loadDemo((at, total, what) => setStep({ at, total, what }))
      onDone()
    } catch (refusal) {
      setError(refusal)
    }
    setStep(null)
  }
  return html`<section class="panel"><h2>${t(empty ? 'start_empty' : 'start_demo')}</h2><${Refusal} error=${error} />
    <p>${t('start_demo_text')}</p>
    ${step && html`<p role="status">${t('start_step', { done: step.at, total: step.total, what: step.what })}</p><${Bar} value=${step.at / step.total} label=${t('start_demo')} />`}
    <${Act} class=${empty ? 'main' : ''} role="engineer" busy=${!!step} onClick=${load}>${t('start_demo')}</${Act}></section>
    <p class="quiet"><a href=${licences}>${t('licences')}</a></p>`
}

