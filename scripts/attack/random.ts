/** Mulberry32 yields the same numbers for the same seed, so that a finding can be reproduced. */
export type Random = {
  /** At least 0 and less than 1. */
  share(): number
  /** An integer from 0 to `n` - 1. */
  below(n: number): number
  one<T>(from: readonly T[]): T
}

export function openRandom(seed: number): Random {
  let state = seed | 0
  const share = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(share() * n)
  return { share, below, one: (from) => from[below(from.length)]! }
}
