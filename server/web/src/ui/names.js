// What an unlabelled thing is called: what it is, and when it was made.
import { t } from '../words.js'
import { moment } from './format.js'

export const nameOf = (one) => one.label || [one.estimator || (one.method && t(`method.${one.method}`)) || one.robot, moment(one.created_at)].filter(Boolean).join(' · ')
