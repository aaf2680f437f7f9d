import { existsSync } from 'node:fs'
import { mkdir, readFile, utimes, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically, createTempFolder } from '../../platform/file/files.ts'
import { sha256 } from '../../platform/hash.ts'
import { FileFault } from '../integrity/damage.ts'
import { leaseName, readManifest, lacksTables } from '../integrity/manifest.ts'
import {
  registryFormat,
  type StoredRegistry,
  isNewerRegistry,
  parseRegistry,
  registryText,
} from '../registry-text.ts'
import {
  attachBucket,
  type RemoteBucket,
  type RebuiltRegistry,
  type GenerationOrigin,
} from '../remote-bucket.ts'
import { openBucket, type Bucket, type BucketOptions, type StoredText } from './bucket.ts'
import type { Condition, StoreAccess } from './s3.ts'
import { bucketAddress } from './address.ts'
import { downloadGeneration, sweepCopying, uploadLanes } from './download.ts'
import { openBucketTable } from './open-tables.ts'
import { takeLock, type HeldLocks } from './remote-lock.ts'
import { changeRegistry, newRegistry, openFreshness, type Freshness } from './remote-registry.ts'
import { generationsIn, retireOrphans, sweepRetired } from './remote-sweep.ts'
import { sizeOnDisk } from '../../platform/file/space.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { parseEntryFile, type EntryFile } from '../entry-file.ts'
import { runInOrder, once } from '../../platform/concurrency.ts'
import type { Entry } from '../registry.ts'
import { randomBytes } from 'node:crypto'
import { deleteCopy } from './local-copies.ts'

type RemoteStore = {
  address: string
  cachePath: string
  access: StoreAccess
  /** Maximum size of the copied generations. The most recently used ones are kept. */
  cacheBytes: number
  warn: (line: string) => void
  /** True for writers and checks. They must not use the copy during an outage. */
  needsBucket?: boolean
}

export type RemoteOptions = BucketOptions & { ageMs?: number; patienceMs?: number }

export async function openRemote(
  store: RemoteStore,
  options: RemoteOptions = {},
): Promise<RemoteBucket> {
  const address = bucketAddress(store.address)
  const { access, warn, needsBucket = false } = store
  const bucket = openBucket(address, access, options)
  const server = s3Server(access)
  const name = sha256(`${bucket.place}\n${server}`).slice(0, 16)
  const folder = join(store.cachePath, 'stores', name)
  await mkdir(folder, { recursive: true })
  const { ageMs = registryAgeMs, patienceMs = 5_000 } = options
  const freshness = openFreshness({ bucket, folder }, { ageMs, patienceMs, warn, needsBucket })
  const remote = remoteFor({ bucket, folder }, { ...store, freshness })
  attachBucket(folder, remote)
  return remote
}

function s3Server({ endpoint, env }: StoreAccess): string {
  return [endpoint, env.AWS_ENDPOINT_URL_S3, env.AWS_ENDPOINT_URL].find((it) => it) ?? ''
}

function remoteFor(
  copy: { bucket: Bucket; folder: string },
  { cacheBytes, freshness }: { cacheBytes: number; freshness: Freshness },
): RemoteBucket {
  const { bucket, folder } = copy
  const locks: HeldLocks = new Set()
  const faults = new Map<string, string>()
  const probeConditionsOnce = once(() => probeOnce(copy))
  return {
    place: bucket.place,
    folder,
    cacheBytes,
    refresh: freshness.refresh,
    isDown: freshness.isDown,
    async change(change) {
      await probeConditionsOnce()
      await changeRegistry(copy, change)
      await freshness.refresh('now')
    },
    async fetchGeneration(id, how) {
      const path = join(folder, 'generations', id)
      const lease = join(path, leaseName)
      const isWhole = how === 'whole'
      const isThere = existsSync(lease) && !(isWhole && lacksTables(path))
      // Records when a copy was last used. Sets the time by path because opening and closing a
      // handle to the lease would release its locks.
      if (isThere) return utimes(lease, new Date(), new Date()).catch(() => {})
      const origin = originIn(bucket, id)
      const isNew = await downloadGeneration(folder, id, {
        origin,
        ...(isWhole ? {} : { mostBytes: cacheBytes }),
      }).catch(async (error) => {
        if (error instanceof FileFault) faults.set(id, error.message)
        await freshness.outlast(error)
        throw error
      })
      if (!isNew) return
      await sweepCopying(folder)
      await evict(folder, { id, cacheBytes })
    },
    keys: async () => sha256(JSON.stringify(await bucket.storage())),
    openTable: (id, name) => openBucketTable(bucket, id, name),
    origin: (id) => originIn(bucket, id),
    fault: async (id) => faults.get(id) ?? (await findRemoteFault(bucket, id)),
    sizes: () => generationSizes(bucket, freshness),
    async lock(name, request) {
      // Check this before the caller starts work that would be lost.
      await probeConditionsOnce()
      const lock = await takeLock({ bucket, held: locks }, name, request)
      await freshness.refresh('now')
      return lock
    },
    writeNotes: async (id, text) =>
      void (await bucket.write(`generations/${id}/renewed-validators.json`, text)),
    sweep: async () => sweepRetired(bucket, await copiedRegistry(folder)),
    orphans: (options) => retireOrphans(bucket, options),
    async remake(choose) {
      const rebuilt = await rebuildRegistry(bucket, choose, probeConditionsOnce)
      if (rebuilt !== null) await freshness.refresh('now')
      return rebuilt
    },
    probe: () => probeConditions(bucket),
    locksReleased: async () => void (await Promise.all(locks)),
  }
}

async function generationSizes(
  bucket: Bucket,
  { isDown, outlast }: Freshness,
): Promise<Map<string, number> | null> {
  if (isDown()) return null
  const generations = await generationsIn(bucket).catch(outlast)
  return generations ? new Map([...generations].map(([id, { bytes }]) => [id, bytes])) : null
}

function originIn(bucket: Bucket, id: string): GenerationOrigin {
  const file = (name: string, into: string) => bucket.download(`generations/${id}/${name}`, into)
  return { place: bucket.place, file }
}

/** Probes a store, unless it has already passed this probe on this machine. */
async function probeOnce({ bucket, folder }: { bucket: Bucket; folder: string }): Promise<void> {
  const path = join(folder, 'conditions-hold')
  if (isPassedProbe(await readFile(path, 'utf8').catch(() => ''))) return
  await writeFileAtomically(path, `${await probeConditions(bucket)}\n`)
}

async function copiedRegistry(folder: string): Promise<StoredRegistry> {
  const text = await readFile(join(folder, 'registry.json'), 'utf8').catch(() => null)
  return text === null ? { format: registryFormat, entries: [] } : JSON.parse(text)
}

/**
 * Deletes the least recently used copies until the rest takes at most `cacheBytes`. Keeps `id`,
 * which is about to be read, and copies that a process reads or writes.
 */
async function evict(
  folder: string,
  { id: keptId, cacheBytes }: { id: string; cacheBytes: number },
): Promise<void> {
  const root = join(folder, 'generations')
  const copies = await copiesIn(root)
  let bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0)
  for (const { id, bytes: own } of copies) {
    if (bytes <= cacheBytes) return
    if (id !== keptId && (await deleteCopy(folder, id))) bytes -= own
  }
}

/** Returns the copies, least recently used first. */
async function copiesIn(root: string): Promise<{ id: string; bytes: number; usedAt: number }[]> {
  const names = await readdir(root).catch(() => [])
  const copies = await Promise.all(
    names.map(async (id) => {
      const lease = await stat(join(root, id, leaseName)).catch(() => null)
      if (lease === null) return []
      return [{ id, bytes: await sizeOnDisk(join(root, id)), usedAt: lease.mtimeMs }]
    }),
  )
  return copies.flat().sort((a, b) => a.usedAt - b.usedAt)
}

export async function findRemoteFault(bucket: Bucket, id: string): Promise<string | null> {
  const below = `generations/${id}/`
  const sizes = new Map<string, number>()
  for await (const { key, size } of bucket.list(below)) sizes.set(key.slice(below.length), size)
  await using folder = await createTempFolder('og-manifest')
  const isThere = await bucket.download(`${below}manifest.json`, join(folder.path, 'manifest.json'))
  if (!isThere) return `generations/${id} is missing`
  const object = (await bucket.read(`${below}entry.json`)) as StoredText | null
  if (object === null) return 'entry.json is missing'
  try {
    const { files } = readManifest(folder.path)
    const other = files.find(({ path, size }) => sizes.get(path) !== size)
    if (other === undefined) return null
    const bytes = sizes.get(other.path)
    return bytes === undefined
      ? `${other.path} is missing`
      : `${other.path} has ${bytes} bytes, ${other.size} were written`
  } catch (error) {
    if (error instanceof FileFault) return messageOf(error)
    throw error
  }
}

const key = 'registry.json'

/**
 * Rebuilds a bucket's lost or damaged registry from the rows in its complete generations. `choose`
 * selects the entries. Saves a damaged registry under a different key. If another process writes a
 * registry first, keeps that one.
 * @returns null if there is nothing to rebuild
 * @throws OgError if a newer og wrote the registry, or if another process wrote one first
 */
async function rebuildRegistry(
  bucket: Bucket,
  choose: (files: EntryFile[]) => Entry[],
  beforeWriting: () => Promise<void>,
): Promise<RebuiltRegistry | null> {
  const object = (await bucket.read(key)) as StoredText | null
  if (object !== null && !isDamaged(bucket, object.text)) return null
  const generations = await generationsIn(bucket)
  if (object === null && generations.size === 0) return null
  await beforeWriting()
  const files: EntryFile[] = []
  const read = async (id: string) => {
    const row = (await bucket.read(`generations/${id}/entry.json`)) as StoredText | null
    return row && parseEntryFile(row.text, id)
  }
  const whole = [...generations].filter(([, { isWhole }]) => isWhole).map(([id]) => id)
  for await (const file of runInOrder(whole, read, { lanes: uploadLanes }))
    if (file !== null) files.push(file)
  const aside = object === null ? null : `${key}.damaged-${bucket.now().toString(36)}`
  if (aside !== null) await bucket.write(aside, object!.text)
  const entries = choose(files)
  const text = registryText(newRegistry(entries))
  const etag = await bucket.write(key, text, { is: object?.etag ?? null })
  // If only the response was lost, the stored text is ours.
  if (etag === null && ((await bucket.read(key)) as StoredText | null)?.text !== text) {
    throw anotherWriter(bucket)
  }
  const ids = new Set(files.map(({ live }) => live.id))
  return { aside, entries, unnamed: [...generations.keys()].filter((id) => !ids.has(id)) }
}

/** @throws OgError if a newer og wrote the registry */
function isDamaged(bucket: Bucket, text: string): boolean {
  try {
    parseRegistry(text, bucket.place)
  } catch (error) {
    if (isNewerRegistry(text)) throw error
    return true
  }
  return false
}

function anotherWriter({ place }: Bucket): OgError {
  return new OgError(
    `Cannot create registry.json of store ${place} again: another process has written one in ` +
      'the meantime; that one was kept',
    { hint: 'run og doctor' },
  )
}

/** The probe detects, with this certainty, a store that fails at least this share of races. */
const [shareFound, certainty] = [0.05, 0.999]
/**
 * A bad store passes one race with probability 1 - share, and n races with the n-th power of that.
 * Therefore, 135 races are enough.
 */
const racesOfEach = Math.ceil(Math.log(1 - certainty) / Math.log(1 - shareFound))
/** Each key is created in one race and replaced in another. */
const keysAtOnce = 9
const writers = 8
/** Long bodies delay a store that checks the condition before the body has arrived. */
const longText = 'x'.repeat(60_000)

/**
 * Tests whether the bucket honours conditional writes by concurrent clients. If eight clients
 * create or replace the same object, exactly one must succeed. Two of them send longer bodies,
 * which exposes a bucket that checks and writes in two steps. If 5 % of the races with one
 * condition go wrong, 99.9 % of the probes reject the bucket. The probe takes 2,160 writes, once
 * per store and machine.
 * @throws OgError if the bucket ignores a condition
 */
export async function probeConditions(bucket: Bucket): Promise<string> {
  const started = performance.now()
  for (let done = 0; done < racesOfEach; done += keysAtOnce) {
    await round(bucket, Math.min(keysAtOnce, racesOfEach - done))
  }
  const ms = Math.round(performance.now() - started)
  return `${passedSentence} (${ms} ms)`
}

const passedSentence = `conditional writes hold in ${2 * racesOfEach} races of ${writers}`

export function isPassedProbe(sentence: string): boolean {
  return sentence.startsWith(`${passedSentence} `)
}

async function round(bucket: Bucket, nKeys: number): Promise<void> {
  // The first characters of the keys differ because storage may distribute keys over machines by
  // prefix.
  const keys = Array.from({ length: nKeys }, () => `probe/${randomBytes(8).toString('hex')}`)
  const races = await Promise.allSettled(keys.map((key) => race(bucket, key)))
  // Objects that og may not delete stay. The result of the probe matters more.
  await Promise.allSettled(keys.map((key) => bucket.delete(key)))
  const lost = races.find((it) => it.status === 'rejected')
  if (lost !== undefined) throw lost.reason
}

async function race(bucket: Bucket, key: string): Promise<void> {
  const [etag] = await winners(bucket, key, { is: null })
  await winners(bucket, key, { is: etag! })
}

async function winners(bucket: Bucket, key: string, condition: Condition): Promise<string[]> {
  const texts = Array.from(
    { length: writers },
    (_, i) => `${i} of ${JSON.stringify(condition)}\n${i % 4 === 0 ? longText : ''}`,
  )
  const tags = await Promise.all(texts.map((text) => bucket.write(key, text, condition)))
  const won = tags.filter((tag) => tag !== null)
  if (won.length === 1) return won
  // A slow bucket may reject all writers, if the first one repeated its write because the response
  // was lost.
  const object = won.length === 0 ? await bucket.read(key) : null
  if (object && object !== 'same' && texts.includes(object.text)) return [object.etag]
  const which = condition.is === null ? 'If-None-Match' : 'If-Match'
  throw new OgError(
    `Cannot use store ${bucket.place}: the bucket does not honour ${which}: of ` +
      `${writers} clients that wrote one object at once, ${won.length} succeeded; ` +
      'two builders would overwrite each other',
    { hint: 'use storage with conditional writes; docs/guide/team.md names some' },
  )
}

/** Maximum age of the registry that readers use. */
export const registryAgeMs = 5_000
