// Pages that are not in the menu, as rows of shell.js; `under`: the page of the menu that stands for them. To add one: a row.
const trajectories = () => import('./pages/trajectories.js')
const trajectory = () => import('./pages/trajectory.js')

export const FURTHER = [
  { name: 'code', load: () => import('./pages/code.js'), under: 'robots' },
  { name: 'mappings', load: () => import('./pages/mappings.js'), under: 'datasets' },
  { name: 'parts', load: () => import('./pages/robot_parts.js'), under: 'robots' },
  { name: 'analyses', load: () => import('./pages/analyses.js'), under: 'robots' },
  { name: 'excitations', load: trajectories, item: trajectory, under: 'trajectories' },
  { name: 'friction-tests', load: trajectories, item: trajectory, under: 'trajectories' },
  { name: 'tunings', load: () => import('./pages/tunings.js'), under: 'verifications' },
  { name: 'zonings', load: () => import('./pages/zonings.js'), under: 'verifications' },
  { name: 'compare', load: () => import('./pages/compare.js'), under: 'identifications' },
  { name: 'shifts', load: () => import('./pages/shifts.js'), under: 'controllers' },
]
