import { Damage } from '../store/integrity/damage.ts'
import type { OpenEntries } from './entries.ts'

export type DamagedVersion = { library: string; version: string; problem: string }

export function toDamagedVersion({ library, version, message, hint }: Damage): DamagedVersion {
  return { library, version, problem: `${message}; ${hint}` }
}

/**
 * Calls `ask`, and again without each library version that turns out to be damaged, so that a
 * broken library does not prevent answers from the others. `broken` lists the versions skipped so
 * far.
 */
export async function skipDamaged<T>(
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
