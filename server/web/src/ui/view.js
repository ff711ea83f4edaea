// The view of an arm in three dimensions. What draws it is larger than all else, so the page about it is there first.
import { html } from '../html.js'
import { Lazy } from './lazy.js'

const drawing = () => import('./view3d.js')

export const View3D = (shown) => html`<div class="view3d-place"><${Lazy} load=${drawing} ...${shown} /></div>`
