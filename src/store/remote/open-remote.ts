import { existsSync } from 'node:fs'
import { mkdir, readFile, utimes, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { sha256 } from '../../platform/hash.ts'
import { once } from '../../platform/once.ts'
import { Fault } from '../integrity/damage.ts'
import { leaseName } from '../integrity/manifest.ts'
import { registryFormat, type StoredRegistry } from '../registry-text.ts'
import { attachRemote, remoteAgeMs, type Remote } from './attached.ts'
import { openBucket, type Bucket, type BucketOptions } from './bucket.ts'
import { bucketAddress } from './address.ts'
import { azureServer } from './dialect/azure-access.ts'
import { googleServer } from './dialect/google-access.ts'
import type { StoreAccess } from './dialect/credentials.ts'
import { receiveGeneration, sweepCopying, type GenerationOrigin } from './receive.ts'
import { isPart, openBucketTable } from './part.ts'
import { isPassedProbe, probeConditions } from './probe.ts'
import { rebuildRegistry } from './remake.ts'
import { takeLock, type HeldLocks } from './remote-lock.ts'
import { openTableHost } from './tables/table-host.ts'
import type { TableHostAddress } from './tables/host-tables.ts'
import { changeRegistry } from './remote-registry.ts'
import { openFreshness, type Freshness } from './freshness.ts'
import { generationsIn, retireOrphans, sweepRetired } from './remote-sweep.ts'
import { remoteFault } from './remote-fault.ts'
import { bytesBelow } from '../../platform/file/size.ts'
import { deleteCopy } from '../generation.ts'

type RemoteStore = {
  /** For example `s3://bucket/prefix`. */
  address: string
  /** The service that keeps the tables; null if the bucket does. */
  tableHost?: TableHostAddress | null
  /** The folder for copies of stores. */
  cachePath: string
  access: StoreAccess
  /** Maximum size of the copied generations; those used last are kept. */
  cacheBytes: number
  warn: (line: string) => void
  /** True for writers and checks, which must not use the copy during an outage. */
  needsBucket?: boolean
}

export type RemoteOptions = BucketOptions & {
  /** Maximum age of the registry that readers use. */
  ageMs?: number
  /** Time limit for the bucket to start its answer to a reader. */
  patienceMs?: number
  /**
   * Above this number of rows, a service that keeps the tables builds an index of their vectors.
   */
  indexRows?: number
}

/** Makes a folder the copy of a store, for this process. Sends no request yet. */
export async function openRemote(store: RemoteStore, options: RemoteOptions = {}): Promise<Remote> {
  const address = bucketAddress(store.address)
  const { access } = store
  const hosting = {
    storage: () => bucket.storage(),
    warn: store.warn,
    indexRows: options.indexRows,
  }
  const tableHost = store.tableHost ? openTableHost(store.tableHost, hosting) : null
  const bucket: Bucket = openBucket(address, access, { ...options, tableHost })
  // Two servers may have buckets of the same name.
  const server = servers[address.kind](access)
  const name = sha256(`${tableHost?.place ?? ''}${bucket.place}\n${server}`).slice(0, 16)
  const folder = join(store.cachePath, 'stores', name)
  await mkdir(folder, { recursive: true })
  const { ageMs = remoteAgeMs, patienceMs = 5_000 } = options
  const { warn, needsBucket = false } = store
  const freshness = openFreshness({ bucket, folder }, { ageMs, patienceMs, warn, needsBucket })
  const remote = remoteFor({ bucket, folder }, { ...store, freshness })
  attachRemote(folder, remote)
  return remote
}

function s3Server({ endpoint, env }: StoreAccess): string {
  return [endpoint, env.AWS_ENDPOINT_URL_S3, env.AWS_ENDPOINT_URL].find((it) => it) ?? ''
}

const servers = { s3: s3Server, az: azureServer, gs: googleServer }

function remoteFor(
  copy: { bucket: Bucket; folder: string },
  { cacheBytes, freshness }: { cacheBytes: number; freshness: Freshness },
): Remote {
  const { bucket, folder } = copy
  const { tableHost } = bucket
  const held: HeldLocks = new Set()
  const faults = new Map<string, string>()
  const probeConditionsOnce = once(() => probeOnce(copy))
  return {
    place: bucket.place,
    tableHost: tableHost?.place ?? null,
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
      const isWhole = how === 'whole' && tableHost === null
      const isThere = existsSync(lease) && !(isWhole && isPart(path))
      // Records the last use of a copy. Sets the time by path, because opening and closing a handle
      // of a lease would drop its locks.
      if (isThere) return utimes(lease, new Date(), new Date()).catch(() => {})
      const origin = originIn(bucket, id)
      const isNew = await receiveGeneration(folder, id, {
        origin,
        ...(isWhole ? {} : { mostBytes: tableHost === null ? cacheBytes : -1 }),
      }).catch(async (error) => {
        if (error instanceof Fault) faults.set(id, error.message)
        await freshness.outlast(error)
        throw error
      })
      if (!isNew) return
      await sweepCopying(folder)
      await evict(folder, { id, cacheBytes })
    },
    keys: async () => sha256(JSON.stringify(await bucket.storage())),
    openTable: (id, name) => tableHost?.open(id, name) ?? openBucketTable(bucket, id, name),
    origin: (id) => originIn(bucket, id),
    fault: async (id) => faults.get(id) ?? (await remoteFault(bucket, id)),
    sizes: () => generationSizes(bucket, freshness),
    async lock(name, request) {
      // Checked before the caller starts work that would be lost.
      await tableHost?.check()
      await probeConditionsOnce()
      const lock = await takeLock({ bucket, held }, name, request)
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
    locksReleased: async () => void (await Promise.all(held)),
  }
}

/** Maps each generation to its bytes in the bucket; null while the bucket is down. */
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

/**
 * A store that has passed the probe is not probed again by this machine, unless the probe became
 * stricter.
 */
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
 * Deletes the least recently used copies until the rest takes at most `cacheBytes`. Copies that
 * somebody reads or writes stay, and so does `id`, which is about to be read.
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

/** The least recently used copy comes first. */
async function copiesIn(root: string): Promise<{ id: string; bytes: number; usedAt: number }[]> {
  const names = await readdir(root).catch(() => [])
  const copies = await Promise.all(
    names.map(async (id) => {
      const lease = await stat(join(root, id, leaseName)).catch(() => null)
      if (lease === null) return []
      return [{ id, bytes: await bytesBelow(join(root, id)), usedAt: lease.mtimeMs }]
    }),
  )
  return copies.flat().sort((a, b) => a.usedAt - b.usedAt)
}
