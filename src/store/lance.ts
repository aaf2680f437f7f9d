import type * as Lance from '@lancedb/lancedb'
import { messageOf, OgError } from '../platform/error.ts'
import { createTempFolder } from '../platform/files.ts'
import { setNativeVariable } from '../platform/native/variable.ts'

/**
 * LanceDB, loaded when first needed: its addon takes tens of milliseconds, and what only reads
 * the registry goes without.
 */
export function lance(): Promise<typeof Lance> {
  return (loading ??= load())
}

let loading: Promise<typeof Lance> | null = null

/**
 * Each connection makes a spill folder in TMPDIR and leaves it behind, so TMPDIR is, for native
 * code alone, a folder that goes at exit. Where none can be made, LanceDB would panic.
 */
async function load(): Promise<typeof Lance> {
  const spill = await createTempFolder('og-lance')
  setNativeVariable('TMPDIR', spill.path)
  return import('@lancedb/lancedb')
}

/** Runs a write and says in one line what a full or read-only disk did to it: nothing. */
export async function writing<T>(folder: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof OgError) throw error
    const text = messageOf(error)
    if (/no space left|ENOSPC|disk (is )?full|SQLITE_FULL|quota exceeded/i.test(text)) {
      throw new OgError(`Cannot write store ${folder}: the disk is full; nothing was changed`, {
        hint: 'free some space, or name another folder by OG_DB_PATH',
        cause: error,
      })
    }
    if (/read-only|EROFS|EACCES|permission denied|SQLITE_READONLY/i.test(text)) {
      throw new OgError(`Cannot write store ${folder}: it is read-only; nothing was changed`, {
        hint: 'name a folder you may write to by OG_DB_PATH',
        cause: error,
      })
    }
    throw error
  }
}
