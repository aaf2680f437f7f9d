import { sweep } from '../store/generation.ts'
import { changeEntries, readEntries } from '../store/registry.ts'
import type { LibraryVersion } from './library.ts'
import { libraryVersion } from './list.ts'
import { lockVersion, type LockRequest } from './lock.ts'
import { pickEntries } from './pick.ts'

/** Takes a library version out of the registry and deletes its data once no reader has it open. */
export async function removeVersion(folder: string, request: LockRequest): Promise<LibraryVersion> {
  const [wanted] = pickEntries(await readEntries(folder), request)
  using _lock = await lockVersion(folder, { ...request, version: wanted!.version })
  await changeEntries(folder, (entries) =>
    entries.filter((it) => it.key !== wanted!.key || it.version !== wanted!.version),
  )
  await sweep(folder)
  return libraryVersion(wanted!)
}
