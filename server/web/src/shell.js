// The frame of every page: who is here, where one can go, and a stop button for every controller.
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from './html.js'
import { session, language, theme } from './session.js'
import { route, link } from './route.js'
import { t } from './words.js'
import { get, call } from './api.js'
import { turnOf } from './live.js'
import { Notice, useAnswer } from './ui/parts.js'
import { Login } from './pages/login.js'
import { Start } from './pages/start.js'
import { Identifications } from './pages/identifications.js'

// To add a page: a row. `load` is a part of the program that is fetched when it is opened first; `under`: not in the
// menu, which shows that one instead.
const PAGES = [
  { name: 'start', component: Start },
  { name: 'identifications', component: Identifications, item: () => import('./pages/identification.js') },
  { name: 'compare', load: () => import('./pages/compare.js'), under: 'identifications' },
  { name: 'datasets', load: () => import('./pages/datasets.js') },
  { name: 'jobs', load: () => import('./pages/jobs.js') },
  { name: 'robots', load: () => import('./pages/robots.js') },
  { name: 'trajectories', load: () => import('./pages/trajectories.js') },
  { name: 'excitations', load: () => import('./pages/trajectories.js'), under: 'trajectories' },
  { name: 'friction-tests', load: () => import('./pages/trajectories.js'), under: 'trajectories' },
  { name: 'evaluations', load: () => import('./pages/evaluation.js'), under: 'datasets' },
  { name: 'friction-identifications', load: () => import('./pages/friction.js'), under: 'datasets' },
  { name: 'controllers', load: () => import('./pages/controllers.js') },
  { name: 'keys', load: () => import('./pages/keys.js'), role: 'admin' },
  { name: 'audit', load: () => import('./pages/audit.js'), role: 'admin' },
]

// A page that is fetched when it is needed.
function Lazy({ load, ...rest }) {
  const [page, set] = useState(null)
  useEffect(() => {
    let alive = true
    set(null)
    load().then((module) => alive && set(() => module.Page), (error) => alive && set(() => () => html`<${Notice} kind="bad">${t('offline')} ${String(error)}</${Notice}>`))
    return () => (alive = false)
  }, [load])
  return page ? html`<${page} ...${rest} />` : html`<p class="quiet" aria-busy="true">${t('loading')}</p>`
}

function StopButtons() {
  const controllers = useAnswer((signal) => get('v1/controllers', { limit: 20 }, signal), [turnOf('controllers')], 10000)
  const [said, say] = useState(null)
  // that an arm stopped is news for a while; that it may not have is, until somebody asks again
  useEffect(() => {
    if (said?.kind !== 'good') return
    const timer = setTimeout(() => say(null), 20000)
    return () => clearTimeout(timer)
  }, [said])
  const stop = async (name) => {
    say(null)
    try {
      const { data } = await call('POST', `v1/controllers/${encodeURIComponent(name)}/stop`)
      say({ kind: data.confirmed ? 'good' : 'bad', text: t(data.confirmed ? 'stop_confirmed' : 'stop_unconfirmed', { name }) })
    } catch {
      say({ kind: 'bad', text: t('stop_unconfirmed', { name }) })
    }
  }
  return html`
    ${(controllers.value?.items ?? []).map(({ name }) => html`<button key=${name} type="button" class="stop" title=${t('stop_note')} onClick=${() => stop(name)}>■ ${t('stop', { name })}</button>`)}
    ${said && html`<span role="alert" class=${`state ${said.kind}`}>${said.text}</span>`}`
}

const Preferences = () => html`
  <label><span class="hidden-text">${t('language')}</span>
    <select value=${language.value} onChange=${(e) => (language.value = e.target.value)} aria-label=${t('language')}>
      <option value="en">English</option><option value="zh">简体中文</option>
    </select></label>
  <label><span class="hidden-text">${t('theme')}</span>
    <select value=${theme.value} onChange=${(e) => (theme.value = e.target.value)} aria-label=${t('theme')}>
      ${['auto', 'light', 'dark'].map((name) => html`<option value=${name}>${t(`theme.${name}`)}</option>`)}
    </select></label>`

const Brand = () => html`<a class="brand" href="#/">
  <svg viewBox="0 0 32 32" aria-hidden="true"><g fill="none" stroke="currentColor" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"><path d="M6 28h12M12 28V17l10-9 5 6" /></g></svg>armdyn</a>`

function Content() {
  const { path } = route.value
  const at = useRef()
  const known = PAGES.find((page) => page.name === (path[0] ?? 'start'))
  const key = path.join('/')
  useEffect(() => {
    document.title = `${known ? t(`page.${known.name}`) : '404'} · armdyn`
  })
  useEffect(() => {
    if (document.activeElement === document.body) at.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [key])
  const why = !known ? t('no_page') : session.may(known.role ?? 'viewer') ? null : t('needs_role', { role: t(`role.${known.role}`) })
  if (why) return html`<main id="main" tabindex="-1" ref=${at}><${Notice} kind="warn">${why}</${Notice}></main>`
  const load = path[1] && known.item ? known.item : known.load
  return html`<main id="main" tabindex="-1" ref=${at}>
    ${load ? html`<${Lazy} key=${key} load=${load} path=${path} />` : html`<${known.component} path=${path} />`}
  </main>`
}

export function Shell() {
  useEffect(() => {
    get('v1/keys/self').then((self) => session.enter(self, session.key.value, !!session.key.value), (error) => error.status !== 401 && session.refused())
  }, [])
  if (session.state.value === 'asking') return html`<p class="quiet" aria-busy="true">${t('loading')}</p>`
  const self = session.self.value
  const name = route.value.path[0] ?? 'start'
  const here = PAGES.find((page) => page.name === name)?.under ?? name
  return html`
    <a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById('main').focus() }}>${t('skip')}</a>
    <div class=${session.state.value === 'in' ? 'shell' : ''}>
      <header class="top">
        <${Brand} />
        <span class="spring"></span>
        ${self && html`<${StopButtons} />`}
        <a href="./docs" target="_blank" rel="noopener">${t('api')}</a>
        <${Preferences} />
        ${self && html`<span class="quiet"><bdi>${self.name}</bdi> · ${t(`role.${self.role}`)}</span>`}
        ${self && session.key.value && html`<button type="button" onClick=${() => session.leave()}>${t('leave')}</button>`}
      </header>
      ${self ? html`
        <div class="side"><nav aria-label=${t('menu')}><ul>
          ${PAGES.filter((page) => !page.under && session.may(page.role ?? 'viewer')).map(({ name }) => html`
            <li key=${name}><a href=${link(name === 'start' ? [] : [name])} aria-current=${here === name ? 'page' : undefined}>${t(`page.${name}`)}</a></li>`)}
        </ul></nav></div>
        <${Content} />` : html`<${Login} />`}
    </div>`
}
