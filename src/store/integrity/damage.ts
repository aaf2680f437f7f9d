import { messageOf, OgError } from '../../platform/error.ts'
import type { Entry } from '../registry.ts'
import { sha256 } from '../../platform/hash.ts'
import type { ManifestFile } from './manifest.ts'

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

const mendingHint = 'og doctor --repair rebuilds it'

/** Returns LanceDB's message in one line, without source locations. */
export function describeLanceError(error: unknown): string {
  const [first = ''] = messageOf(error).split(/\s*Caused by:|,? ?\/\S+\.rs:|\bpanicked at\b|\n/)
  const plain = first.replaceAll(/\S*\.rs:\d+(?::\d+)?/g, '').trim()
  return plain === '' ? 'LanceDB cannot read it' : plain.slice(0, 300)
}

type Explain = (error: unknown) => Promise<Error>

/** Explains LanceDB's errors, which name source files and rarely say that a file is damaged. */
export function withExplainedErrors<Open extends object>(open: Open, explain: Explain): Open {
  const explained = (answer: unknown): unknown => {
    if (typeof answer !== 'object' || answer === null) return answer
    if (answer instanceof Promise) {
      return answer.catch(async (error) => {
        throw await explain(error)
      })
    }
    if (Symbol.asyncIterator in answer) {
      return withExplainedItems(answer as AsyncIterable<unknown>, explain)
    }
    return withExplainedErrors(answer, explain)
  }
  const methods = Object.entries(open).filter(([, value]) => typeof value === 'function')
  const wrapped = methods.map(([name, method]) => [
    name,
    (...args: unknown[]) => explained(method(...args)),
  ])
  return { ...open, ...Object.fromEntries(wrapped) }
}

async function* withExplainedItems<T>(read: AsyncIterable<T>, explain: Explain): AsyncGenerator<T> {
  const items = read[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await items.next().catch(async (error) => {
        throw await explain(error)
      })
      if (next.done) return
      yield next.value
    }
  } finally {
    await items.return?.()
  }
}

/** @throws Fault if the bytes differ from those written */
export function checkBytes(file: ManifestFile, bytes: Uint8Array): void {
  if (bytes.length !== file.size) throw sizeFault(file, bytes.length)
  if (sha256(bytes) !== file.sha256) throw changedFault(file)
}

export type CheckBytes = (bytes: Uint8Array) => void

export function sizeFault({ path, size }: ManifestFile, bytes: number): FileFault {
  return new FileFault(`${path} has ${bytes} bytes, ${size} were written`)
}

export function changedFault({ path }: ManifestFile): FileFault {
  return new FileFault(`${path} has changed since it was written`)
}
