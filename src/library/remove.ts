import { forgetEntryFiles } from '../store/entry-file.ts'
import { sweepGenerations } from '../store/generation.ts'
import { changeEntries, readEntries } from '../store/registry.ts'
import type { LibraryVersion } from './library.ts'
import { libraryVersion } from './list.ts'
import { lockVersion, type LockRequest } from './lock.ts'
import { pickEntry } from '../version/pick.ts'

export async function removeVersion(folder: string, request: LockRequest): Promise<LibraryVersion> {
  const { version, live } = pickEntry(await readEntries(folder), request)
  using _lock = await lockVersion(folder, { ...request, version, live })
  let removed = pickEntry(await readEntries(folder), { ...request, version })
  await changeEntries(folder, (entries) => {
    // Looked up again, because the previous holder of the lock may have removed the version or
    // changed its date.
    removed = pickEntry(entries, { ...request, version })
    return entries.filter((entry) => entry !== removed)
  })
  const ids = [removed.live.id, removed.previous?.id].filter((id) => id !== undefined)
  await forgetEntryFiles(folder, ids)
  await sweepGenerations(folder)
  return libraryVersion(removed)
}
