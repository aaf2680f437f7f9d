import { messageOf, OgError } from '../../platform/error.ts'
import type { Entry } from '../registry.ts'

export class FileFault extends Error {}

export class Damage extends OgError {
  readonly id: string
  readonly library: string
  readonly version: string

  constructor({ library, version, live }: Damaged, problem: string, hint = mendingHint) {
    super(`Cannot read library "${library}" version "${version}": ${problem}`, { hint })
    this.id = live.id
    this.library = library
    this.version = version
  }
}

type Damaged = Pick<Entry, 'library' | 'version'> & { live: { id: string } }

const mendingHint = 'og doctor --repair builds it anew'

/** Returns LanceDB's message in one line, without source locations. */
export function describeLanceError(error: unknown): string {
  const [first = ''] = messageOf(error).split(/\s*Caused by:|,? ?\/\S+\.rs:|\bpanicked at\b|\n/)
  const plain = first.replaceAll(/\S*\.rs:\d+(?::\d+)?/g, '').trim()
  return plain === '' ? 'LanceDB cannot read it' : plain.slice(0, 300)
}
