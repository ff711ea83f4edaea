// Who is here and how they like it: the key lives in memory, and in the browser's store only when that is asked for.
import { signal, effect } from '@preact/signals'

const kept = (name, standard) => {
  try {
    return localStorage.getItem(`armdyn.${name}`) ?? standard
  } catch {
    return standard
  }
}
const keep = (name, value) => {
  try {
    value == null ? localStorage.removeItem(`armdyn.${name}`) : localStorage.setItem(`armdyn.${name}`, value)
  } catch {
    // a browser that keeps nothing is fine
  }
}

export const ROLES = ['viewer', 'operator', 'engineer', 'admin'] // each may what the ones before it may

export const session = {
  key: signal(kept('key', '')),
  self: signal(null), // { id, name, role, motion }
  state: signal('asking'), // asking, in, out
  wrong: signal(''),
  secret: signal(null), // the key just made, until its secret was copied: { name, secret, first }
  refused() {
    session.self.value = null
    session.state.value = 'out'
  },
  may(role) {
    return ROLES.indexOf(session.self.value?.role) >= ROLES.indexOf(role)
  },
  mayMove(controller) {
    return (session.self.value?.motion ?? []).some((one) => one === '*' || one === controller)
  },
  enter(self, key, remember) {
    session.key.value = key
    keep('key', remember && key ? key : null)
    session.self.value = self
    session.state.value = 'in'
  },
  leave() {
    session.key.value = ''
    session.secret.value = null
    keep('key', null)
    session.refused()
  },
}

export const language = signal(kept('language', navigator.language?.startsWith('zh') ? 'zh' : 'en'))
export const angles = signal(kept('angles', 'rad')) // or deg
export const theme = signal(kept('theme', 'auto')) // auto, light, dark
const darkSystem = matchMedia('(prefers-color-scheme: dark)')
export const dark = signal(false)

const settle = () => {
  dark.value = theme.value === 'dark' || (theme.value === 'auto' && darkSystem.matches)
  document.documentElement.dataset.theme = dark.value ? 'dark' : 'light'
}
darkSystem.addEventListener('change', settle)
effect(() => {
  keep('theme', theme.value)
  settle()
})
effect(() => keep('angles', angles.value))
effect(() => {
  keep('language', language.value)
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en'
})
