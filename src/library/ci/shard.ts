import { OgError } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'

/** One of `count` jobs that share a list; `index` starts at 1. */
type Shard = { index: number; count: number }

export function parseShard(text: string): Shard {
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  if (shard.index >= 1 && shard.index <= shard.count) return shard
  throw new OgError(`Cannot use --shard "${text}": it is I/N, with I from 1 to N`)
}

/**
 * Whether a name belongs to this job, which is the job whose hash with the name is highest
 * (rendezvous hashing). A new job takes an equal share from each other job; all other names stay
 * where they are.
 */
export function isInShard(name: string, { index, count }: Shard): boolean {
  let [best, highest] = [0, '']
  for (let job = 1; job <= count; job++) {
    const hash = sha256(`${job}\n${name}`)
    if (hash > highest) [best, highest] = [job, hash]
  }
  return best === index
}
