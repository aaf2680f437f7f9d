import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { readEntries, type Generation } from '../../src/store/registry.ts'
import type { RemoteBucket } from '../../src/store/remote-bucket.ts'
import { isPassedProbe, openRemote } from '../../src/store/remote/open-remote.ts'
import { serveBucket, type BucketServer } from './servers/bucket-server.ts'
import { openLive, writeGeneration } from './store.ts'

/** Machines with copies of one store in a bucket. */
export type Remotes = AsyncDisposable & {
  server: BucketServer
  one: RemoteBucket
  two: RemoteBucket
  machine(
    name: string,
    cacheBytes?: number,
    options?: { needsBucket?: boolean; isProbed?: boolean },
  ): Promise<RemoteBucket>
  /** Warnings of the machines. */
  warned: string[]
  /** Returns the keys of the bucket that contain this text. */
  keysOf(id: string): string[]
}

/** Age up to which readers use a registry without loading it again, in milliseconds. */
export const ageMs = 30

/** Time that readers wait in tests of a bucket that hangs, in milliseconds. */
export const patienceMs = 1_000

/** Long enough for a server in this process on a busy machine. */
const ordinaryPatienceMs = 5_000

export async function openRemotes(patience = ordinaryPatienceMs): Promise<Remotes> {
  const temp = await createTempFolder('og remote')
  const server = serveBucket()
  const warned: string[] = []
  const machine: Remotes['machine'] = async (name, cacheBytes = 1e9, options = {}) => {
    const { address, access } = server
    const { isProbed = true, ...needs } = options
    const cachePath = join(temp.path, name)
    const warn = (line: string) => void warned.push(line)
    const store = { address, cachePath, access, cacheBytes, warn, ...needs }
    const remote = await openRemote(store, { backoffMs: 1, ageMs, patienceMs: patience })
    if (isProbed) skipProbe(remote)
    return remote
  }
  return {
    server,
    one: await machine('one'),
    two: await machine('two'),
    machine,
    warned,
    keysOf: (id) => [...server.objects.keys()].filter((key) => key.includes(id)),
    async [Symbol.asyncDispose]() {
      server[Symbol.dispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

/** Records that this machine has probed the bucket, because a probe takes 2,160 writes. */
export function skipProbe({ folder }: Pick<RemoteBucket, 'folder'>): void {
  const sentence = 'conditional writes hold in 270 races of 8 (0 ms)'
  if (!isPassedProbe(sentence)) throw new Error('the probe has changed, so it would run here')
  writeFileSync(join(folder, 'conditions-hold'), `${sentence}\n`)
}

/** Publishes a library of one page. */
export function written(
  { folder }: RemoteBucket,
  library: string,
  text = 'some text',
): Promise<Generation> {
  return writeGeneration(folder, { a: text }, { library, embedder: null })
}

/** Returns the text of that page, as a reader sees it. */
export async function read({ folder }: RemoteBucket, library: string): Promise<string | undefined> {
  const [open] = await openLive(folder, library)
  using _ = open!
  return (await open!.page('a'))?.text
}

export async function names({ folder }: RemoteBucket): Promise<string[]> {
  return (await readEntries(folder)).map(({ library }) => library).sort()
}

/** Returns the ids of the generations that a machine has copied or written. */
export function copies({ folder }: RemoteBucket): string[] {
  return readdirSync(join(folder, 'generations')).sort()
}
