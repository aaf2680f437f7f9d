import { randomBytes } from 'node:crypto'
import { OgError } from '../../platform/error.ts'
import type { Bucket, Condition } from './bucket.ts'

/** A store that lets at least this share of races through is found with this certainty. */
const [shareFound, certainty] = [0.05, 0.999]
/** A store of that share passes a race with 1 - share, and all of them with its power: 135. */
const racesOfEach = Math.ceil(Math.log(1 - certainty) / Math.log(1 - shareFound))
/** Each key is created in one race and replaced in another. */
const keysAtOnce = 9
const writers = 8
/** A store that checks the condition before the body has arrived is slow with these. */
const longText = 'x'.repeat(60_000)

/**
 * Tries whether the bucket keeps to conditions also if several clients write at once: of eight who
 * create an object exactly one may succeed, and so of eight who replace it. Two of them send more
 * than the others, so that a bucket that checks and writes in two steps is caught in between. A
 * bucket that lets 5 % of the races of one condition through is refused in 99.9 % of the probes.
 * 2,160 writes, once for a store and machine.
 * @throws OgError if one condition does not hold
 */
export async function probeConditions(bucket: Bucket): Promise<string> {
  const started = performance.now()
  for (let done = 0; done < racesOfEach; done += keysAtOnce) {
    await round(bucket, Math.min(keysAtOnce, racesOfEach - done))
  }
  const ms = Math.round(performance.now() - started)
  return `${passed} (${ms} ms)`
}

const passed = `conditional writes hold in ${2 * racesOfEach} races of ${writers}`

/** Whether a sentence of `probeConditions` is of a probe as strong as this one. */
export function isPassedProbe(sentence: string): boolean {
  return sentence.startsWith(`${passed} `)
}

async function round(bucket: Bucket, nKeys: number): Promise<void> {
  // They differ from their beginning: storage may divide keys by that among its machines.
  const keys = Array.from({ length: nKeys }, () => `probe/${randomBytes(8).toString('hex')}`)
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
  const texts = Array.from(
    { length: writers },
    (_, i) => `${i} of ${JSON.stringify(condition)}\n${i % 4 === 0 ? longText : ''}`,
  )
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
    { hint: 'use storage with conditional writes; docs/guide/team.md names some' },
  )
}
