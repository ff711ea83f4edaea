// One WebGL renderer for all views of all pages: browsers take contexts away from a page that makes more and more of them. Each view has
// a plain canvas, to which what was rendered is copied.
import * as THREE from 'three'

let renderer = null
const views = new Set() // functions that draw one anew

function shared() {
  if (renderer) return renderer
  renderer = new THREE.WebGLRenderer({ antialias: true })
  renderer.domElement.addEventListener('webglcontextlost', (event) => event.preventDefault())
  renderer.domElement.addEventListener('webglcontextrestored', () => {
    for (const draw of views) draw()
  })
  return renderer
}

// Draw into this canvas whenever the function that is returned is called; done() when there will be no more.
export function stage(canvas, scene, camera) {
  const flat = canvas.getContext('2d')
  let asked = 0
  const paint = () => {
    asked = 0
    const { width, height } = canvas
    if (!width || !height) return
    const to = shared()
    const size = to.getSize(new THREE.Vector2())
    if (size.x !== width || size.y !== height) to.setSize(width, height, false)
    to.render(scene, camera)
    flat.drawImage(to.domElement, 0, 0)
  }
  const draw = () => (asked ||= requestAnimationFrame(paint)) // as often as the screen, however often it is asked for
  views.add(draw)
  return { draw, done: () => { views.delete(draw); cancelAnimationFrame(asked) } }
}
