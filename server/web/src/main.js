import { render } from 'preact'
import { html } from './html.js'
import { Shell } from './shell.js'

render(html`<${Shell} />`, document.getElementById('app'))
