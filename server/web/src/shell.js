// The frame of every page: who is here, where one can go, STOP, and whether the service answers.
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from './html.js'
import { session, language, theme } from './session.js'
import { leave, leaving, link, route, stay } from './route.js'
import { t } from './words.js'
import { get } from './api.js'
import { lost } from './live.js'
import { Stop, useControllers } from './stop.js'
import { Loading, Notice } from './ui/parts.js'
import { Secret } from './ui/secret.js'
import { Login } from './pages/login.js'
import { Start } from './pages/start.js'

// To add a page: a row. `load` is a part of the program that is fetched when it is opened first; `under`: not in the
// menu, which shows that one instead.
const PAGES = [
  { name: 'start', component: Start },
  { name: 'identifications', load: () => import('./pages/identifications.js'), item: () => import('./pages/identification.js') },
  { name: 'compare', load: () => import('./pages/compare.js'), under: 'identifications' },
  { name: 'datasets', load: () => import('./pages/datasets.js') },
  { name: 'jobs', load: () => import('./pages/jobs.js') },
  { name: 'robots', load: () => import('./pages/robots.js') },
  { name: 'code', load: () => import('./pages/code.js'), under: 'robots' },
  { name: 'trajectories', load: () => import('./pages/trajectories.js') },
  { name: 'excitations', load: () => import('./pages/trajectories.js'), under: 'trajectories' },
  { name: 'friction-tests', load: () => import('./pages/trajectories.js'), under: 'trajectories' },
  { name: 'simulations', load: () => import('./pages/simulations.js') },
  { name: 'collision-checks', load: () => import('./pages/checks.js') },
  { name: 'verifications', load: () => import('./pages/verifications.js') },
  { name: 'evaluations', load: () => import('./pages/evaluation.js') },
  { name: 'friction-identifications', load: () => import('./pages/friction.js'), under: 'evaluations' },
  { name: 'identification-studies', load: () => import('./pages/studies.js'), under: 'evaluations' },
  { name: 'cells', load: () => import('./pages/cells.js') },
  { name: 'orders', load: () => import('./pages/orders.js'), item: () => import('./pages/order.js') },
  { name: 'alarms', load: () => import('./pages/alarms.js') },
  { name: 'controllers', load: () => import('./pages/controllers.js') },
  { name: 'shifts', load: () => import('./pages/shifts.js'), under: 'controllers' },
  { name: 'keys', load: () => import('./pages/keys.js'), role: 'admin' },
  { name: 'webhooks', load: () => import('./pages/webhooks.js'), role: 'admin' },
  { name: 'audit', load: () => import('./pages/audit.js'), role: 'admin' },
]

const Gone = () => html`<${Notice} kind="bad">${t('upgraded')} <button type="button" onClick=${() => location.reload()}>${t('reload')}</button></${Notice}>`

// A page that is fetched when it is needed.
function Lazy({ load, ...rest }) {
  const [page, set] = useState(null)
  useEffect(() => {
    let alive = true
    set(null)
    Promise.all([load(), import('./words.more.js')]).then(([module]) => alive && set(() => module.Page), () => alive && set(() => Gone))
    return () => (alive = false)
  }, [load])
  return page ? html`<${page} ...${rest} />` : html`<${Loading} />`
}

function Controllers() {
  useControllers()
  return html`<${Stop} />`
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
  if (why) return html`<main id="main" tabindex="-1" ref=${at}><${Secret} /><${Notice} kind="warn">${why}</${Notice}></main>`
  const load = path[1] && known.item ? known.item : known.load
  return html`<main id="main" tabindex="-1" ref=${at}><${Secret} />
    ${load ? html`<${Lazy} key=${key} load=${load} path=${path} />` : html`<${known.component} path=${path} />`}
  </main>`
}

// Over all that is open: the address is another one already, what is shown is not.
function Leaving() {
  const at = useRef()
  useEffect(() => {
    at.current.showModal()
  }, [])
  return html`<dialog ref=${at} aria-label=${t('leave_ask')} onClose=${stay}><div class="head"><h2>${t('leave_ask')}</h2><${Stop} /></div>
    <div class="row end"><button type="button" class="main" onClick=${stay}>${t('stay')}</button><button type="button" onClick=${leave}>${t('leave_page')}</button></div></dialog>`
}

export function Shell() {
  useEffect(() => {
    get('v1/keys/self').then((self) => session.enter(self, session.key.value, !!session.key.value), (error) => error.status !== 401 && session.refused())
  }, [])
  if (session.state.value === 'asking') return html`<${Loading} />`
  const self = session.self.value
  const name = route.value.path[0] ?? 'start'
  const here = PAGES.find((page) => page.name === name)?.under ?? name
  return html`
    <a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById('main').focus() }}>${t('skip')}</a>
    <div class=${session.state.value === 'in' ? 'shell' : ''}>
      <header class="top">
        <${Brand} />
        ${self && html`<${Controllers} />`}
        <span class="spring"></span>
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
        <${Content} />
        ${leaving.value && html`<${Leaving} />`}
        ${lost.value && html`<p class="lost" role="alert">${t('lost')}</p>`}` : html`<${Login} />`}
    </div>`
}
