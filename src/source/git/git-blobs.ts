import { openJobLimiter } from '../../platform/concurrency.ts'
import type { Git } from './git-command.ts'
import { sizeLimitBytes } from '../select/select.ts'

export type Blob = { sizeBytes: number; bytes: Uint8Array | null }

export type Blobs = AsyncDisposable & { read(objectId: string): Promise<Blob | null> }

/** Opens `git cat-file --batch`, one process for any number of files. */
export function openBlobs(git: Git): Blobs {
  const child = git.start(['cat-file', '--batch'])
  const bytes = readerOf(child.stdout)
  const queue = openJobLimiter(1)
  async function read(objectId: string): Promise<Blob | null> {
    await child.stdin.write(`${objectId}\n`)
    await child.stdin.flush()
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(await bytes.line()) ?? []
    if (size === undefined) return null
    const sizeBytes = Number(size)
    const shouldKeep = type === 'blob' && sizeBytes <= sizeLimitBytes
    const content = shouldKeep ? await bytes.take(sizeBytes) : await bytes.drop(sizeBytes)
    await bytes.drop(1)
    return type === 'blob' ? { sizeBytes, bytes: content } : null
  }
  return {
    read: (objectId) => queue.run(() => read(objectId)),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

function readerOf(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  let part: Uint8Array = new Uint8Array(0)

  /** Returns the next bytes, at least one and at most `limit`. */
  async function some(limit: number): Promise<Uint8Array> {
    while (part.length === 0) {
      const { done, value } = await reader.read()
      if (done) throw new Error('git cat-file ended before its answer was whole')
      part = value
    }
    const head = part.subarray(0, limit)
    part = part.subarray(head.length)
    return head
  }

  return {
    async line(): Promise<string> {
      const bytes: number[] = []
      for (let byte = (await some(1))[0]!; byte !== 10; byte = (await some(1))[0]!) bytes.push(byte)
      return Buffer.from(bytes).toString('latin1')
    },
    async take(size: number): Promise<Uint8Array> {
      const content = new Uint8Array(size)
      for (let at = 0; at < size; ) {
        const bytes = await some(size - at)
        content.set(bytes, at)
        at += bytes.length
      }
      return content
    },
    async drop(size: number): Promise<null> {
      for (let left = size; left > 0; ) left -= (await some(left)).length
      return null
    },
  }
}
