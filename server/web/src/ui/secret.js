// The secret of a key just made stands above every page until it was copied: it is kept nowhere.
import { useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { session } from '../session.js'
import { Notice } from './parts.js'

extend({
  key_secret: ['The secret of {name}. It is shown this once and kept nowhere: copy it now.', '{name} 的密钥。仅显示这一次且不保存，请立即复制。'],
  key_entered: ['You are logged in with it. From now on every call needs a key.', '您已使用此密钥登录。从现在起，所有调用都需要密钥。'],
  key_copy: ['Copy', '复制'],
  key_kept: ['I have kept it', '我已妥善保存'],
})

export function Page() {
  const made = session.secret.value
  const [copied, setCopied] = useState('') // the secret that was
  const at = useRef()
  if (!made) return null
  const copy = () => {
    getSelection().selectAllChildren(at.current)
    document.execCommand('copy') // navigator.clipboard is there only over HTTPS; the event below tells that it was done
  }
  return html`<${Notice} kind="good"><p>${t('key_secret', { name: made.name })}${made.first && ` ${t('key_entered')}`}</p>
    <code class="secret" ref=${at} onCopy=${() => setCopied(made.secret)}>${made.secret}</code>
    <div class="row"><button type="button" class="main" onClick=${copy}>${t('key_copy')}</button>
      <button type="button" disabled=${copied !== made.secret} onClick=${() => { session.secret.value = null }}>${t('key_kept')}</button></div></${Notice}>`
}
