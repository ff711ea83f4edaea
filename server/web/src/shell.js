// The frame of every page: who is here, where one can go, STOP, and whether the service answers.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { html } from './html.js'
import { session, language, theme } from './session.js'
import { about, leaving, link, route } from './route.js'
import { t } from './words.js'
import { get } from './api.js'
import { lost } from './live.js'
import { Stop, useControllers } from './stop.js'
import { Gone, Lazy as Part } from './ui/lazy.js'
import { Loading, Notice } from './ui/parts.js'

const home = () => import('./pages/start.js')
const login = () => import('./pages/login.js')
const asking = () => import('./ui/leaving.js')
const secret = () => import('./ui/secret.js')

// To add a page: a row. `load` is a part of the program that is fetched when it is opened first, `item` the one of a single thing of its
// list, `parts` those of its parts; `in`: the place of the menu where it stands. Those that are not in the menu: pages.more.js.
const PAGES = [
  { name: 'start', in: 'start', load: home },
  { name: 'robots', in: 'robots', load: () => import('./pages/robots.js'), parts: { history: () => import('./pages/history.js') } },
  { name: 'datasets', in: 'robots', load: () => import('./pages/datasets.js') },
  { name: 'trajectories', in: 'robots', load: () => import('./pages/trajectories.js'), item: () => import('./pages/trajectory.js') },
  { name: 'simulations', in: 'robots', load: () => import('./pages/simulations.js') },
  { name: 'verifications', in: 'robots', load: () => import('./pages/verifications.js') },
  { name: 'collision-checks', in: 'robots', load: () => import('./pages/checks.js') },
  { name: 'identifications', in: 'runs', load: () => import('./pages/identifications.js'), item: () => import('./pages/identification.js') },
  { name: 'evaluations', in: 'runs', load: () => import('./pages/evaluation.js') },
  { name: 'friction-identifications', in: 'runs', load: () => import('./pages/friction.js') },
  { name: 'identification-studies', in: 'runs', load: () => import('./pages/studies.js') },
  { name: 'controllers', in: 'production', load: () => import('./pages/controllers.js') },
  { name: 'orders', in: 'production', load: () => import('./pages/orders.js'), item: () => import('./pages/order.js') },
  { name: 'alarms', in: 'production', load: () => import('./pages/alarms.js') },
  { name: 'events', in: 'production', load: () => import('./pages/events.js') },
  { name: 'cells', in: 'production', load: () => import('./pages/cells.js') },
  { name: 'jobs', in: 'jobs', load: () => import('./pages/jobs.js') },
  { name: 'keys', in: 'admin', load: () => import('./pages/keys.js'), role: 'admin' },
  { name: 'webhooks', in: 'admin', load: () => import('./pages/webhooks.js'), role: 'admin' },
  { name: 'audit', in: 'admin', load: () => import('./pages/audit.js'), role: 'admin' },
  { name: 'storage', in: 'admin', load: () => import('./pages/storage.js') },
]
const further = signal(null) // those of pages.more.js: null: nobody asked yet; []: they did not come
const seek = () => further.value?.length || import('./pages.more.js').then(({ FURTHER }) => (further.value = FURTHER), () => (further.value = []))
const pageOf = (name) => [...PAGES, ...(further.value ?? [])].find((page) => page.name === name)
const PLACES = ['start', 'robots', 'runs', 'production', 'jobs', 'admin']

const words = () => import('./words.more.js')
const shared = () => words().catch(() => {})
const BARE = [home, login, secret, asking] // which need none of the words that other pages share
const Lazy = (rest) => html`<${Part} beside=${BARE.includes(rest.load) ? null : words} ...${rest} />`

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

const placeOf = (page) => page && (page.in ?? pageOf(page.under).in)

// The robot that the page is about: as the address says, or as the page found out.
function robotOf() {
  const { path, query } = route.value
  if (!['robots', 'runs'].includes(placeOf(pageOf(path[0])))) return null
  return path[0] === 'robots' || path[0] === 'code' ? path[1] : query.get('robot') ?? about.value
}
const robotTabs = () => import('./pages/robot_tabs.js')

function Content() {
  const { path } = route.value
  const at = useRef()
  const known = pageOf(path[0] ?? 'start')
  const key = path.join('/')
  const title = `${known ? t(`page.${known.name}`) : '404'} · armdyn`
  useEffect(() => {
    document.title = title
  })
  useEffect(() => {
    if (document.activeElement === document.body) at.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
    if (path.length) shared() // the menu's words, too, where there is no such page
    known || seek()
  }, [key])
  if (!known && !further.value?.length) return html`<main id="main" tabindex="-1" ref=${at}><h1 class="hidden-text">armdyn</h1>${further.value ? html`<${Gone} />` : html`<${Loading} />`}</main>`
  const why = !known ? t('no_page') : session.may(known.role ?? 'viewer') ? null : t('needs_role', { role: t(`role.${known.role}`) })
  if (why) return html`<main id="main" tabindex="-1" ref=${at}>${session.secret.value && html`<${Lazy} load=${secret} />`}<h1>${known ? t(`page.${known.name}`) : '404'}</h1><${Notice} kind="warn">${why}</${Notice}></main>`
  const load = known.parts?.[path[2]] ?? (path[1] && path[1] !== 'new' && known.item ? known.item : known.load)
  const robot = robotOf()
  return html`<main id="main" tabindex="-1" ref=${at}>${session.secret.value && html`<${Lazy} load=${secret} />`}
    ${robot && html`<${Lazy} load=${robotTabs} robot=${robot} at=${path} />`}
    <${Lazy} key=${key} load=${load} path=${path} />
  </main>`
}

// Where one can go: six places, and the pages of the one where the person is.
function Menu() {
  const name = route.value.path[0] ?? 'start'
  const here = pageOf(name)?.under ?? name
  const place = robotOf() ? 'robots' : placeOf(pageOf(name))
  const pages = (one) => PAGES.filter((page) => page.in === one && session.may(page.role ?? 'viewer'))
  const item = (page, text, current) => html`<a href=${link(page === 'start' ? [] : [page])} aria-current=${current || undefined}>${text}</a>`
  return html`<div class="side"><nav aria-label=${t('menu')}><ul>${PLACES.map((one) => {
    const [first, ...rest] = pages(one)
    const alone = t(`page.${first.name}`) === t(`place.${one}`) // the place is called as its first page
    return html`<li key=${one}>${item(first.name, t(`place.${one}`), alone && here === first.name ? 'page' : place === one && 'true')}
      ${place === one && rest.length > 0 && html`<ul>${(alone ? rest : [first, ...rest]).map((page) => html`<li key=${page.name}>${item(page.name, t(`page.${page.name}`), here === page.name && 'page')}</li>`)}</ul>`}</li>`
  })}</ul></nav></div>`
}

export function Shell() {
  useEffect(() => {
    get('v1/keys/self').then((self) => session.enter(self, session.key.value, !!session.key.value), (error) => error.status !== 401 && session.refused())
  }, [])
  if (session.state.value === 'asking') return html`<${Loading} />`
  const self = session.self.value
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
        <${Menu} />
        <${Content} />
        ${leaving.value && html`<${Lazy} load=${asking} />`}
        ${lost.value && html`<p class="lost" role="alert">${t('lost')}</p>`}` : html`<${Lazy} load=${login} />`}
    </div>`
}
