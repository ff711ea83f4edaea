// The shared worker of all tabs: see hub.js.
import { serve } from './hub.js'

self.onconnect = ({ ports: [port] }) => serve(port)
