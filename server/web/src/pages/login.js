import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { session } from '../session.js'
import { get } from '../api.js'
import { extend, t } from '../words.js'
import { Check, Field, Refusal } from '../ui/parts.js'

extend({
  login: ['Log in', '登录'],
  login_text: ['This service asks for an API key. An administrator makes one with "armdyn key".', '本服务需要 API 密钥。管理员可用“armdyn key”创建。'],
  key: ['API key', 'API 密钥'],
  remember: ['Remember on this computer', '在此计算机上记住'],
  remember_text: ['Otherwise the key is forgotten when the page is closed.', '否则关闭页面后密钥即被遗忘。'],
  wrong_key: ['The service does not take this key.', '服务不接受此密钥。'],
})

export function Page() {
  const [key, setKey] = useState('')
  const [remember, setRemember] = useState(false)
  const [error, setError] = useState(null)
  const enter = async (event) => {
    event.preventDefault()
    setError(null)
    session.key.value = key.trim()
    try {
      session.enter(await get('v1/keys/self'), key.trim(), remember)
    } catch (refusal) {
      session.key.value = ''
      setError(refusal)
    }
  }
  return html`<main id="main" tabindex="-1"><form class="panel narrow stack" onSubmit=${enter}>
    <h1>${t('login')}</h1>
    <p class="quiet">${t('login_text')}</p>
    ${error?.status === 401 ? html`<div class="notice bad" role="alert">${t('wrong_key')}</div>` : html`<${Refusal} error=${error} />`}
    <${Field} label=${t('key')}><input type="password" autocomplete="current-password" required value=${key} onInput=${(e) => setKey(e.target.value)} autofocus /></${Field}>
    <${Check} label=${t('remember')} checked=${remember} onChange=${(e) => setRemember(e.target.checked)} />
    <p class="quiet">${t('remember_text')}</p>
    <div><button class="main" type="submit">${t('login')}</button></div>
  </form></main>`
}
