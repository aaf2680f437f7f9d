import { forgetEntryFiles } from '../store/entry-file.ts'
import { sweep } from '../store/generation.ts'
import { changeEntries, readEntries, type Entry } from '../store/registry.ts'
import type { LibraryVersion } from './library.ts'
import { libraryVersion } from './list.ts'
import { lockVersion, type LockRequest } from './lock.ts'
import { pickEntries } from '../version/pick.ts'

/** Takes a library version out of the registry and deletes its data once no reader has it open. */
export async function removeVersion(folder: string, request: LockRequest): Promise<LibraryVersion> {
  const [wanted] = pickEntries(await readEntries(folder), request)
  using _lock = await lockVersion(folder, { ...request, version: wanted!.version })
  let removed: Entry | undefined
  await changeEntries(folder, (entries) => {
    // Asked again: who held the lock before us may have removed it, or given it another date.
    removed = pickEntries(entries, { ...request, version: wanted!.version })[0]
    return entries.filter((entry) => entry !== removed)
  })
  const ids = [removed!.live.id, removed!.previous?.id].filter((id) => id !== undefined)
  await forgetEntryFiles(folder, ids)
  await sweep(folder)
  return libraryVersion(removed!)
}
