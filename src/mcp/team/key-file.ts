import { existsSync } from 'node:fs'
import { messageOf, OgError } from '../../platform/error.ts'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { whyUnsafe } from '../../platform/file/safe-folder.ts'
import { lockExclusive } from '../../platform/lock.ts'
import { parseTeamKeys, teamKeysText, type TeamKey } from './team-key.ts'

/**
 * Reads the keys of a file that only its owner may write.
 * @throws OgError if the file is unreadable, invalid or writable by others
 */
export async function readTeamKeys(path: string): Promise<TeamKey[]> {
  return (await readKeyText(path)).keys
}

export async function readKeyText(path: string): Promise<{ keys: TeamKey[]; text: string }> {
  const fail = (why: string): never => {
    throw new OgError(`Cannot read the keys of ${path}: ${why}`, {
      hint: 'og keys add creates it; only its owner may have write permission (chmod go-w)',
    })
  }
  const text = await readTextFile(path, { limitMb: 16 }).catch((error) => fail(messageOf(error)))
  const why = whyUnsafe(path)
  if (why !== null) fail(why)
  return { keys: await parseTeamKeys(text, path), text }
}

/**
 * Atomically replaces the keys of a file; concurrent changes wait. A new file is private to its
 * owner.
 */
export async function changeTeamKeys(
  path: string,
  change: (keys: TeamKey[]) => TeamKey[],
): Promise<void> {
  const what = `the keys of ${path}`
  using _turn = await lockExclusive(`${path}.lock`, { timeoutMs: 10_000, what, pollMs: 10 })
  if (existsSync(path)) await readTeamKeys(path)
  const plan = async (before: string | null) => {
    const text = teamKeysText(change(before === null ? [] : await parseTeamKeys(before, path)))
    // Parses the new text first, to be sure that it can be read back.
    await parseTeamKeys(text, path)
    return text
  }
  await editTextFile(path, { plan, mode: 0o600, limitMb: 16 })
}
