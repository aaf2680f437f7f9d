import { randomBytes } from 'node:crypto'
import { OgError } from '../../platform/error.ts'
import type { Bucket, Condition } from './bucket.ts'

const keysOfRound = 6
const writers = 12
/** Rounds go on until both have been. */
const leastRounds = 3
const leastMs = 500
const mostRounds = 12
/** Who looks at the condition first and writes when all has come is slow with these. */
const longText = 'x'.repeat(100_000)

/**
 * Tries whether the bucket keeps conditions also when several write at once: of twelve who create
 * an object one may succeed, and so of twelve who replace it. Three of them send more than the
 * others, so that a bucket that does not look and write in one step is caught between the two. Some
 * 500 requests at least, once for a store and machine.
 * @throws OgError where one does not hold
 */
export async function probeConditions(bucket: Bucket): Promise<string> {
  const started = performance.now()
  const base = `probe/${randomBytes(8).toString('hex')}`
  let rounds = 0
  for (; rounds < mostRounds; rounds++) {
    if (rounds >= leastRounds && performance.now() - started > leastMs) break
    await round(bucket, `${base}-${rounds}`)
  }
  const ms = Math.round(performance.now() - started)
  return `conditional writes hold in ${2 * rounds * keysOfRound} races of ${writers} (${ms} ms)`
}

async function round(bucket: Bucket, base: string): Promise<void> {
  const keys = Array.from({ length: keysOfRound }, (_, i) => `${base}-${i}`)
  const raced = await Promise.allSettled(keys.map((key) => race(bucket, key)))
  // Where nothing may be deleted they stay; what was found out matters more.
  await Promise.allSettled(keys.map((key) => bucket.delete(key)))
  const lost = raced.find((it) => it.status === 'rejected')
  if (lost !== undefined) throw lost.reason
}

async function race(bucket: Bucket, key: string): Promise<void> {
  const [etag] = await winners(bucket, key, { is: null })
  await winners(bucket, key, { is: etag! })
}

/** The tag of the one that won. */
async function winners(bucket: Bucket, key: string, condition: Condition): Promise<string[]> {
  const texts = Array.from({ length: writers }, (_, i) =>
    `${i} of ${JSON.stringify(condition)}\n${i % 4 === 0 ? longText : ''}`)
  const tags = await Promise.all(texts.map((text) => bucket.write(key, text, condition)))
  const won = tags.filter((tag) => tag !== null)
  if (won.length === 1) return won
  // A bucket that is slow may tell all that they came too late, the first one by a lost answer.
  const stored = won.length === 0 ? await bucket.read(key) : null
  if (stored && stored !== 'same' && texts.includes(stored.text)) return [stored.etag]
  const which = condition.is === null ? 'If-None-Match' : 'If-Match'
  throw new OgError(
    `Cannot use store ${bucket.place}: the bucket does not keep to ${which}: of ${writers} who ` +
      `wrote one object at once, ${won.length} succeeded; two builders would lose what they write`,
    { hint: 'use storage with conditional writes; docs/guide/with-a-team.md names some' },
  )
}
