import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { sha256 } from '../../platform/hash.ts'
import { withWriteErrors } from '../lance.ts'
import { lockRegistry, type Entry } from '../registry.ts'
import {
  parseRegistry,
  registryFormat,
  registryText,
  type StoredRegistry,
} from '../registry-text.ts'
import type { ChangeOfEntries } from '../remote-bucket.ts'
import type { Bucket, StoredText } from './bucket.ts'
import { uploadGeneration } from './download.ts'

type BucketCopy = { bucket: Bucket; folder: string }

const registryKey = 'registry.json'
/** Name of the file with the copy's tag and checksum. A changed copy is fetched again. */
const tagName = 'registry.tag.json'

/**
 * Updates the copy of the registry from the bucket. `patienceMs` limits the wait for the bucket's
 * response to start; it is at least 15 s if there is no copy.
 */
async function refreshRegistry(
  { bucket, folder }: BucketCopy,
  { patienceMs }: { patienceMs?: number } = {},
): Promise<void> {
  const lastTag = await knownTag(folder)
  const headMs = patienceMs && Math.max(patienceMs, lastTag === undefined ? 15_000 : 0)
  if ((await bucket.read(registryKey, lastTag, { headMs })) === 'same') return
  await withWriteErrors(folder, async () => {
    // Read under the lock, so that no older response overwrites a newer one.
    using _turn = await lockRegistry(folder)
    const object = await bucket.read(registryKey)
    if (object === null || object === 'same') {
      await refuseLoss(bucket)
      await rm(join(folder, registryKey), { force: true })
      return
    }
    parseOwnRegistry(bucket, object.text)
    await writeFileAtomically(join(folder, registryKey), object.text)
    const tag = JSON.stringify({ etag: object.etag, sha256: sha256(object.text) })
    await writeFileAtomically(join(folder, tagName), `${tag}\n`)
  })
}

async function knownTag(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, registryKey), 'utf8').catch(() => null)
  const tag = await readFile(join(folder, tagName), 'utf8').catch(() => '')
  const [, etag, sum] = /^\{"etag":(".*"),"sha256":"(\w{64})"\}\n$/.exec(tag) ?? []
  if (text === null || etag === undefined || sum !== sha256(text)) return undefined
  return JSON.parse(etag)
}

/** Rejects a bucket without a registry. A new one would hide existing generations. */
async function refuseLoss(bucket: Bucket): Promise<void> {
  for await (const _ of bucket.list('generations/')) {
    throw new OgError(
      `Cannot read store ${bucket.place}: registry.json is missing, and ` +
        'generations/ is not empty',
      { hint: repairHint },
    )
  }
}

const repairHint =
  'restore registry.json from an earlier version of the object, or "og doctor ' +
  '--repair" makes it from the generations'

/** @throws OgError if the text is not a registry */
export function parseOwnRegistry({ place }: Bucket, text: string): StoredRegistry {
  return parseRegistry(text, `${place}/${registryKey}`, repairHint)
}

export function newRegistry(entries: Entry[]): StoredRegistry {
  return { format: registryFormat, entries }
}

type TaggedRegistry = { registry: StoredRegistry; etag: string; text: string }

async function readStored(bucket: Bucket): Promise<TaggedRegistry> {
  const object = (await bucket.read(registryKey)) as StoredText | null
  if (object !== null) {
    const { text, etag } = object
    return { registry: parseOwnRegistry(bucket, text), etag, text }
  }
  await refuseLoss(bucket)
  // Write the registry first, because generations without a registry mean that it was lost.
  const text = registryText(newRegistry([]))
  await bucket.write(registryKey, text, { is: null })
  return readStored(bucket)
}

/**
 * Replaces the registry if it is still the one that `next` received. Otherwise calls `next` again.
 * If a response is lost, does not write twice, even if another process has written since.
 */
export async function replaceRegistry(
  bucket: Bucket,
  next: (registry: StoredRegistry) => Promise<StoredRegistry>,
): Promise<void> {
  let sent: SentRegistry | null = null
  for (let attempt = 0; attempt < 200; attempt++) {
    const { registry, etag, text } = await readStored(bucket)
    if (sent !== null && (text === sent.text || hasRowsOf(sent, registry))) return
    const to = await next(registry)
    sent = { from: registry, to, text: registryText(to) }
    if (sent.text === text) return
    if ((await bucket.write(registryKey, sent.text, { is: etag })) !== null) return
    await Bun.sleep(Math.random() * Math.min(20 * (attempt + 1), 500))
  }
  throw new OgError(
    `Cannot write store ${bucket.place}: others replaced registry.json 200 times ` +
      'while this one tried; nothing was changed',
    { hint: 'run the command again' },
  )
}

type SentRegistry = { from: StoredRegistry; to: StoredRegistry; text: string }

/** True if every changed, added or removed row is in the state that was sent. */
function hasRowsOf({ from, to }: SentRegistry, now: StoredRegistry): boolean {
  const [before, after, there] = [rowsOf(from), rowsOf(to), rowsOf(now)]
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  )
  return changed.length > 0 && changed.every((name) => there.get(name) === after.get(name))
}

function rowsOf({ entries }: StoredRegistry): Map<string, string> {
  return new Map(entries.map((entry) => [`${entry.key}\n${entry.version}`, JSON.stringify(entry)]))
}

export async function changeRegistry(copy: BucketCopy, change: ChangeOfEntries): Promise<void> {
  const { bucket, folder } = copy
  await replaceRegistry(bucket, async (registry) => {
    const entries = await change(registry.entries)
    const retired = { ...registry.retired }
    const were = referencedIds(registry)
    const are = referencedIds({ ...registry, entries })
    for (const id of are) {
      if (were.has(id)) continue
      if (retired[id] !== undefined) throw discardedError(bucket, id)
      await uploadGeneration({ bucket, folder }, id)
    }
    const at = new Date(bucket.now()).toISOString()
    for (const id of were) if (!are.has(id)) retired[id] = at
    return { ...registry, entries, retired }
  })
}

export function referencedIds({ entries }: StoredRegistry): Set<string> {
  const ids = entries.flatMap(({ live, previous }) => [live.id, previous?.id])
  return new Set(ids.filter((id) => id !== undefined))
}

function discardedError({ place }: Bucket, id: string): OgError {
  return new OgError(
    `Cannot publish generation ${id} in ${place}: it took over an hour, and ` +
      'another process discarded it; nothing was changed',
    { hint: 'run the command again' },
  )
}

type FreshnessOptions = {
  ageMs: number
  patienceMs: number
  /** True if the copy must not be used. An unreachable bucket is then an error. */
  needsBucket: boolean
  warn: (line: string) => void
}

export type Freshness = {
  refresh(when?: 'now'): Promise<void>
  /** True from a failed attempt to reach the bucket until the next successful one. */
  isDown(): boolean
  outlast(error: unknown): Promise<void>
}

/**
 * Shares one request between concurrent readers. If the bucket is unreachable, readers use the
 * copy, and one warning covers the whole outage. The bucket is then retried in the background, so
 * that no reader of a server waits for it twice.
 */
export function openFreshness(copy: BucketCopy, options: FreshnessOptions): Freshness {
  const { ageMs, needsBucket, warn } = options
  let checkedAt = -Infinity
  let running: Promise<void> | null = null
  let isDown = false

  const markReachable = () => {
    checkedAt = performance.now()
    if (isDown) warn(`Store ${copy.bucket.place} can be reached again`)
    isDown = false
  }

  async function outlast(error: unknown): Promise<void> {
    const isOutage = error instanceof OgError && error.code === 'unreachable'
    const copyStats =
      isOutage && !needsBucket ? await stat(join(copy.folder, registryKey)).catch(() => null) : null
    if (copyStats === null) {
      isDown = false
      throw error
    }
    checkedAt = performance.now()
    if (isDown) return
    isDown = true
    const when = copyStats.mtime.toISOString().slice(0, 16)
    warn(`${(error as OgError).message}; using the copy of ${when}Z`)
  }

  // A caller that cannot use the copy waits longer.
  const patienceMs = options.patienceMs * (needsBucket ? 3 : 1)
  const attempt = () =>
    refreshRegistry(copy, { patienceMs })
      .then(markReachable, outlast)
      .finally(() => (running = null))

  return {
    isDown: () => isDown,
    outlast,
    async refresh(when) {
      if (when === 'now') return refreshRegistry(copy).then(markReachable)
      if (performance.now() - checkedAt < ageMs) return
      running ??= attempt()
      if (!isDown) return running
      // If the background attempt fails for a different reason, the next reader retries and gets
      // the error.
      running.catch(() => {})
    },
  }
}
