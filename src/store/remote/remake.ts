import { inOrder } from '../../platform/concurrency.ts'
import { OgError } from '../../platform/error.ts'
import { parseEntryFile, type EntryFile } from '../entry-file.ts'
import type { Entry } from '../registry.ts'
import { storedEntry } from '../registry-schema.ts'
import { isNewerRegistry, parseRegistry, registryText } from '../registry-text.ts'
import type { RebuiltRegistry } from './attached.ts'
import type { Bucket, StoredText } from './bucket.ts'
import { parseOwnRegistry, registryWith } from './remote-registry.ts'
import { generationsIn } from './remote-sweep.ts'
import { lanes } from './upload.ts'

const key = 'registry.json'

/**
 * Rebuilds the registry of a bucket if it is lost or damaged, from the rows in its complete
 * generations; `choose` selects the entries. A damaged registry is saved under another key. A
 * registry that somebody else writes meanwhile stays.
 * @returns null if there is nothing to rebuild
 * @throws OgError if a newer og wrote it, or if somebody else was faster
 */
export async function rebuildRegistry(
  bucket: Bucket,
  choose: (files: EntryFile[]) => Entry[],
  beforeWriting: () => Promise<void>,
): Promise<RebuiltRegistry | null> {
  const stored = (await bucket.read(key)) as StoredText | null
  if (stored !== null && !isDamaged(bucket, stored.text)) return null
  const generations = await generationsIn(bucket)
  if (stored === null && generations.size === 0) return null
  await beforeWriting()
  const files: EntryFile[] = []
  const read = async (id: string) => {
    const row = (await bucket.read(`generations/${id}/entry.json`)) as StoredText | null
    return row && parseEntryFile(row.text, id)
  }
  const whole = [...generations].filter(([, { isWhole }]) => isWhole).map(([id]) => id)
  for await (const file of inOrder(whole, read, { lanes })) if (file !== null) files.push(file)
  const aside = stored === null ? null : `${key}.damaged-${bucket.now().toString(36)}`
  if (aside !== null) await bucket.write(aside, stored!.text)
  const entries = choose(files)
  const text = registryText(registryWith(bucket, entries.map(storedEntry)))
  const etag = await bucket.write(key, text, { is: stored?.etag ?? null })
  // If the answer was lost, the stored text is still ours.
  if (etag === null && ((await bucket.read(key)) as StoredText | null)?.text !== text) {
    throw anotherWriter(bucket)
  }
  const ids = new Set(files.map(({ live }) => live.id))
  return { aside, entries, unnamed: [...generations.keys()].filter((id) => !ids.has(id)) }
}

/** @throws OgError if a newer og wrote the registry, or its tables are elsewhere */
function isDamaged(bucket: Bucket, text: string): boolean {
  try {
    parseRegistry(text, bucket.place)
  } catch (error) {
    if (isNewerRegistry(text)) throw error
    return true
  }
  parseOwnRegistry(bucket, text)
  return false
}

function anotherWriter({ place }: Bucket): OgError {
  return new OgError(
    `Cannot make registry.json of store ${place} anew: somebody else has ` +
      'written one meanwhile, which stays',
    { hint: 'run og doctor' },
  )
}
