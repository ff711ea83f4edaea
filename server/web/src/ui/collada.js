// COLLADA (.dae), as many URDFs name it, as binary STL, which the service reads: the triangles where the scene of the file puts them, in
// metres by its unit. Axes stay as the file has them, whatever it calls up: so do the programs that show URDFs. Colours and pictures
// are left out.
import { ColladaLoader } from 'three/examples/jsm/loaders/ColladaLoader.js'
import { STLExporter } from 'three/examples/jsm/exporters/STLExporter.js'

const HEAD = 84 // bytes of a binary STL before its triangles

// null: there is no triangle in it, or it is no COLLADA.
export function stlOf(text) {
  const plain = text.replace(/<up_axis>[^<]*<\/up_axis>/, '').replace(/<texture\b[^>]*\/>|<texture\b[\s\S]*?<\/texture>/g, '')
  if (!new DOMParser().parseFromString(plain, 'application/xml').querySelector('COLLADA > scene')) return null
  try {
    const { scene } = new ColladaLoader().parse(plain, '')
    scene.updateMatrixWorld(true)
    const bytes = new STLExporter().parse(scene, { binary: true })
    return bytes.byteLength > HEAD ? bytes : null
  } catch {
    return null // what the loader does not get through is none
  }
}
