import { randomBytes } from 'node:crypto'
import { abortableSleep } from '../../platform/concurrency.ts'
import { OgError } from '../../platform/error.ts'
import type { Lock } from '../../platform/lock.ts'
import type { RemoteLockRequest } from '../remote-bucket.ts'
import type { Bucket, StoredText } from './bucket.ts'

/** A lock expires if it is not renewed for this long. */
export const expiryMs = 60_000
const renewalMs = 15_000
const free = 'free\n'

/** Locks that this process holds or is releasing. */
export type HeldLocks = Set<Promise<void>>

/**
 * Uses an object as a lock: writes it if the lock is free or has expired, and renews it while the
 * lock is held. The lock only prevents two builders from doing the same work. A builder that still
 * works after its lock has expired does no harm because the registry's conditional write protects
 * the rows.
 * @throws OgError if the lock is not free in time
 */
export async function takeLock(
  { bucket, held }: { bucket: Bucket; held: HeldLocks },
  name: string,
  request: RemoteLockRequest,
): Promise<Lock> {
  const key = `locks/${name}`
  const owner = `held by ${randomBytes(8).toString('hex')}\n`
  const deadline = performance.now() + request.timeoutMs
  let etag = await tryLock(bucket, key, owner)
  if (etag === null) request.onWait?.()
  while (etag === null) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) throw notInTime(bucket, request)
    await abortableSleep(Math.min(leftMs, 500 + Math.random() * 500), request.signal)
    etag = await tryLock(bucket, key, owner)
  }
  return keepLock({ bucket, held, key, owner }, etag)
}

type Owned = { bucket: Bucket; held: HeldLocks; key: string; owner: string }

/** Returns the lock's tag, or null if another process holds it. */
async function tryLock(bucket: Bucket, key: string, owner: string): Promise<string | null> {
  const object = (await bucket.read(key)) as StoredText | null
  // The lock is already ours because an earlier response was lost.
  if (object?.text === owner) return object.etag
  const isHeld =
    object !== null && object.text !== free && bucket.now() - object.modified < expiryMs
  return isHeld ? null : bucket.write(key, owner, { is: object?.etag ?? null })
}

async function tagIfOwn(bucket: Bucket, key: string, owner: string): Promise<string | null> {
  const object = (await bucket.read(key)) as StoredText | null
  return object?.text === owner ? object.etag : null
}

function keepLock({ bucket, held, key, owner }: Owned, first: string): Lock {
  let etag: string | null = first
  let turn: Promise<void> = Promise.resolve()
  const write = (text: string) => {
    turn = turn
      .then(async () => {
        if (etag === null) return
        etag = (await bucket.write(key, text, { is: etag })) ?? (await tagIfOwn(bucket, key, owner))
      })
      .catch(() => {}) // The next renewal may succeed, unless the lock expires first.
  }
  const timer = setInterval(() => write(owner), renewalMs)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      write(free)
      const released = turn.finally(() => held.delete(released))
      held.add(released)
    },
  }
}

function notInTime({ place }: Bucket, { what, timeoutMs }: RemoteLockRequest): OgError {
  const seconds = Math.round(timeoutMs / 1000)
  return new OgError(
    `Cannot lock ${what} in ${place}: another builder is writing it ` + `(waited ${seconds} s)`,
    { hint: 'wait for it to end, or give a longer --lock-timeout' },
  )
}
