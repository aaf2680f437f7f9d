import { Damage } from '../store/integrity/damage.ts'
import type { OpenEntries } from './entries.ts'

/** `problem` is one line: which library and version, what is wrong, what mends it. */
export type Broken = { library: string; version: string; problem: string }

export function brokenOf({ library, version, message, hint }: Damage): Broken {
  return { library, version, problem: `${message}; ${hint}` }
}

/**
 * Asks, and where a library version turns out damaged asks again without it, so that one that is
 * broken never keeps the others from answering. `broken` are those that were left out so far.
 */
export async function sparing<T>(
  entries: OpenEntries,
  ask: (sound: OpenEntries, broken: readonly Damage[]) => Promise<T>,
): Promise<T> {
  const broken: Damage[] = []
  const isSound = ({ live }: { live: { id: string } }) => broken.every(({ id }) => id !== live.id)
  const sound: OpenEntries = Object.assign(
    (pick: Parameters<OpenEntries>[0]) => entries((all) => pick(all).filter(isSound)),
    { [Symbol.dispose]() {} },
  )
  for (;;) {
    const answer = await ask(sound, broken).catch((error) => {
      if (!(error instanceof Damage) || broken.some(({ id }) => id === error.id)) throw error
      return error
    })
    if (!(answer instanceof Damage)) return answer
    broken.push(answer)
  }
}
