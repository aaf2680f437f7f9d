import { randomBytes } from 'node:crypto'
import { OgError } from '../../platform/error.ts'
import type { Bucket, Condition } from './bucket.ts'

/** A store that lets at least this share of races through is detected with this certainty. */
const [shareFound, certainty] = [0.05, 0.999]
/**
 * A store with that share passes a race with probability 1 - share, and n races with its n-th
 * power; 135 races suffice.
 */
const racesOfEach = Math.ceil(Math.log(1 - certainty) / Math.log(1 - shareFound))
/** Each key is created in one race and replaced in another. */
const keysAtOnce = 9
const writers = 8
/** Long bodies slow down a store that checks the condition before the body has arrived. */
const longText = 'x'.repeat(60_000)

/**
 * Tests whether the bucket honours conditional writes when several clients write at once. If eight
 * clients create an object, exactly one may succeed; the same holds if eight replace it. Two of
 * them send longer bodies, which exposes a bucket that checks and writes in two steps. A bucket
 * that lets 5 % of the races of one condition through is rejected by 99.9 % of the probes. It takes
 * 2,160 writes, once per store and machine.
 * @throws OgError if a condition does not hold
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

/** True if a message of `probeConditions` reports a probe of this version that passed. */
export function isPassedProbe(sentence: string): boolean {
  return sentence.startsWith(`${passedSentence} `)
}

async function round(bucket: Bucket, nKeys: number): Promise<void> {
  // The keys differ from their first character, because storage may distribute keys over machines
  // by their beginning.
  const keys = Array.from({ length: nKeys }, () => `probe/${randomBytes(8).toString('hex')}`)
  const races = await Promise.allSettled(keys.map((key) => race(bucket, key)))
  // If nothing may be deleted, the objects stay; the result of the probe matters more.
  await Promise.allSettled(keys.map((key) => bucket.delete(key)))
  const lost = races.find((it) => it.status === 'rejected')
  if (lost !== undefined) throw lost.reason
}

async function race(bucket: Bucket, key: string): Promise<void> {
  const [etag] = await winners(bucket, key, { is: null })
  await winners(bucket, key, { is: etag! })
}

/** Returns the tag of the write that succeeded. */
async function winners(bucket: Bucket, key: string, condition: Condition): Promise<string[]> {
  const texts = Array.from(
    { length: writers },
    (_, i) => `${i} of ${JSON.stringify(condition)}\n${i % 4 === 0 ? longText : ''}`,
  )
  const tags = await Promise.all(texts.map((text) => bucket.write(key, text, condition)))
  const won = tags.filter((tag) => tag !== null)
  if (won.length === 1) return won
  // A slow bucket may reject all writers, the first one because its answer was lost and it tried
  // again.
  const stored = won.length === 0 ? await bucket.read(key) : null
  if (stored && stored !== 'same' && texts.includes(stored.text)) return [stored.etag]
  const which = condition.is === null ? 'If-None-Match' : 'If-Match'
  throw new OgError(
    `Cannot use store ${bucket.place}: the bucket does not keep to ${which}: of ${writers} who ` +
      `wrote one object at once, ${won.length} succeeded; two builders would lose what they write`,
    { hint: 'use storage with conditional writes; docs/guide/team.md names some' },
  )
}
