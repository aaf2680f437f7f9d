import { contentHashOf, pageHash } from '../add/pages.ts'
import { chunkKey } from '../add/copy.ts'
import { refusedPack, type PackManifest } from './pack-format.ts'
import {
  openPackFile, packedEmbeddings, packedLicense, packedPages, type Pack,
} from './read-pack.ts'

export type CheckedPack = { manifest: PackManifest; sha256: string; license: string | null }

/**
 * Reads all of a pack as who installs it would, and installs nothing.
 * @throws OgError that says what is wrong first
 */
export function checkPackFile(path: string): CheckedPack {
  using pack = openPackFile(path)
  const { manifest, sha256 } = pack
  const chunks = checkPages(pack)
  if (chunks !== manifest.chunks) {
    throw refusedPack(pack.what, `it has ${chunks} chunks, and says otherwise`)
  }
  return { manifest, sha256, license: packedLicense(pack) }
}

function checkPages(pack: Pack): number {
  const hashes = new Map<string, string>()
  const embeddings = pack.manifest.vectors === 'none' ? null : packedEmbeddings(pack)
  let chunks = 0
  for (const group of packedPages(pack)) {
    for (const { page, chunks: places } of group) {
      hashes.set(page.url, pageHash(page))
      for (const { heading, start_offset, end_offset } of places) {
        const content = page.text.slice(start_offset, end_offset)
        const key = chunkKey({ title: page.title, heading, content }).slice(0, 16)
        const next = embeddings?.next()
        if (next && (next.done || next.value.key !== key)) {
          throw refusedPack(pack.what, 'an embedding is of another text than its chunk')
        }
      }
      chunks += places.length
    }
  }
  if (contentHashOf(hashes) !== pack.manifest.contentHash) {
    throw refusedPack(pack.what, 'its pages are not those that it says')
  }
  return chunks
}
